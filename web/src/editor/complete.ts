// A little help while typing: the kinds, API versions and fields of Dynamic
// Resource Allocation. Nothing more than a list of words; the core judges.

import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';

const words = (text: string) => text.trim().split(/\s+/);

const values: Record<string, string[]> = {
  apiVersion: words('resource.k8s.io/v1 resource.k8s.io/v1beta2 resource.k8s.io/v1beta1 v1'),
  kind: words(
    'DeviceClass DeviceTaintRule List Namespace Node Pod ResourceClaim ResourceClaimTemplate ResourceSlice',
  ),
  effect: words('NoSchedule NoExecute None'),
  allocationMode: words('ExactCount All'),
};

const fields = words(`
  adminAccess allNodes allocationMode allowMultipleAllocations apiVersion attributes
  bindingConditions bindingFailureConditions bindsToNode capacity cel claims
  compatibilityGroups config constraints consumesCounters containers count counterSet counters
  declaredFeatures default deviceClassName devices distinctAttribute driver exactly expression
  extendedResourceName firstAvailable generation image key kind labels matchAttribute metadata
  name namespace nodeName nodeSelector opaque parameters perDeviceNodeSelection pool requestPolicy
  requests resourceClaimName resourceClaimTemplateName resourceClaims resourceSliceCount resources
  selectors sharedCounters skipNodeOperations spec status string taints tolerations validRange
  validValues value version
`);

export function complete(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const value = /^[\s-]*([A-Za-z]+):\s+([\w./]*)$/.exec(before);
  if (value) return result(context, values[value[1]!] ?? [], value[2]!, '');
  const field = /^[\s-]*([A-Za-z]*)$/.exec(before);
  if (field && (context.explicit || field[1]!.length > 1)) {
    return result(context, fields, field[1]!, ':');
  }
  return null;
}

function result(
  context: CompletionContext,
  labels: readonly string[],
  typed: string,
  suffix: string,
): CompletionResult | null {
  if (labels.length === 0) return null;
  return {
    from: context.pos - typed.length,
    options: labels.map((label) => ({ label, apply: label + suffix })),
    validFor: /^[\w./]*$/,
  };
}
