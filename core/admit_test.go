package core

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const (
	admitPod = `apiVersion: v1
kind: Pod
metadata: {name: p, labels: {when: "on"}}
spec:
  nodeName: worker-1
  containers: [{name: c, image: i, resources: {claims: [{name: a}]}}]
  resourceClaims: [{name: a, resourceClaimTemplateName: t}]
`
	admitNode = `---
apiVersion: v1
kind: Node
metadata: {name: worker-1, labels: {kubernetes.io/hostname: host-1}}
`
	admitTemplate = `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  spec:
    devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}
`
	admitClass = `---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
`
	admitSlice = `---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: worker-1
  pool: {name: worker-1, generation: 1, resourceSliceCount: 1}
  skipNodeOperations: [NodePrepareResources]
  devices: [{name: gpu-0}]
`
)

func admitText(t *testing.T, text string, opts AdmitTextOptions) *AdmitTextResult {
	t.Helper()
	out, err := AdmitText(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAdmitPod(t *testing.T) {
	for name, tt := range map[string]struct {
		text, nodeNameTo, want string
	}{
		"a node's own label":        {admitPod + admitNode, "", "  nodeSelector:\n    kubernetes.io/hostname: host-1\n"},
		"no nodes in the bundle":    {admitPod, "", "  nodeSelector:\n    kubernetes.io/hostname: worker-1\n"},
		"by affinity":               {admitPod, "affinity", "- matchFields:\n"},
		"a node that is not there":  {strings.Replace(admitPod, "worker-1", "worker-2", 1) + admitNode, "", "- worker-2\n"},
		"a template of that bundle": {admitPod + admitNode + admitTemplate, "", "host-1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := admitText(t, tt.text, AdmitTextOptions{NodeNameTo: tt.nodeNameTo})
			if got.Verdict != Patched || len(got.Patch) != 3 || !strings.Contains(got.After, tt.want) || strings.Contains(got.After, "nodeName:") {
				t.Errorf("got %+v, %s", got.Admission, got.After)
			}
			if !strings.Contains(got.Before, "nodeName: worker-") || !strings.Contains(got.Before, `when: "on"`) || !strings.Contains(got.Before, "namespace: default") {
				t.Errorf("before: %s", got.Before)
			}
		})
	}
	got := admitText(t, admitPod, AdmitTextOptions{Phase: Validating})
	if got.Verdict != Allowed || got.Before != "" || len(got.Response.Warnings) == 0 {
		t.Errorf("got %+v", got.Response)
	}
}

func TestAdmitObject(t *testing.T) {
	all := admitPod + admitTemplate + admitClass + admitSlice
	refused := admitText(t, all, AdmitTextOptions{Object: 3})
	if refused.Verdict != Denied || !strings.Contains(refused.Response.Result.Message, "NodeUnprepareResources") || refused.Findings[0].Action != Deny {
		t.Errorf("got %+v", refused.Response.Result)
	}
	allowed := admitText(t, all, AdmitTextOptions{Object: 3, Policy: "apiVersion: drawbridge-dra.github.io/v1\nkind: AdmissionPolicy\nrules: {api/skip-node-operations: warn}"})
	if allowed.Verdict != Allowed || !strings.Contains(strings.Join(allowed.Response.Warnings, "\n"), "NodeUnprepareResources") {
		t.Errorf("got %+v", allowed.Response)
	}
	// The rest of the bundle is the cluster: the class is there, or is not.
	missing := func(text string) bool {
		got := admitText(t, text, AdmitTextOptions{Phase: Validating, Object: 1})
		return strings.Contains(strings.Join(got.Response.Warnings, "\n"), "bundle/missing-class")
	}
	if !missing(admitPod+admitTemplate) || missing(all) {
		t.Error("the class is looked for in the wrong place")
	}
	used := admitText(t, all, AdmitTextOptions{Object: 2, Operation: "delete"})
	if used.Verdict != Allowed || len(used.Response.Warnings) != 1 || !strings.Contains(used.Response.Warnings[0], "1 template (default/t)") {
		t.Errorf("got %+v", used.Response)
	}
	used = admitText(t, all, AdmitTextOptions{Object: 1, Operation: "DELETE", Phase: Validating})
	if used.Verdict != Allowed || len(used.Response.Warnings) != 1 || !strings.Contains(used.Response.Warnings[0], "1 pod (default/p)") {
		t.Errorf("got %+v", used.Response)
	}
	changed := admitText(t, admitTemplate, AdmitTextOptions{Operation: "UPDATE", OldObject: strings.Replace(admitTemplate, "name: r,", "name: q,", 1)})
	if changed.Verdict != Denied || changed.Response.Result.Code != 422 {
		t.Errorf("got %+v", changed.Response)
	}
	items := admitText(t, "apiVersion: resource.k8s.io/v1\nkind: DeviceClassList\nitems:\n- metadata: {name: gpu}\n  spec: {extendedResourceName: nothing}\n",
		AdmitTextOptions{FeatureGates: "DRAExtendedResource=true"})
	if items.Verdict != Denied || items.Response.Result.Details.Kind != "DeviceClass" {
		t.Errorf("got %+v", items.Response)
	}
}

func TestAdmitReview(t *testing.T) {
	review := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","operation":"CREATE","kind":{"group":"","version":"v1","kind":"Pod"},
		"object":{"spec":{"nodeName":"n","bigNumber":9007199254740993,"resourceClaims":[{"name":"a","resourceClaimName":"c"}]}}}}`
	got := admitText(t, review, AdmitTextOptions{})
	if got.Verdict != Patched || got.Response.UID != "u1" || !strings.Contains(got.After, "bigNumber: 9007199254740993") {
		t.Errorf("got %+v %s", got.Response, got.After)
	}
}

func TestAdmitOptions(t *testing.T) {
	for option, opts := range map[string]AdmitTextOptions{
		"phase":             {Phase: "late"},
		"object":            {Object: 1},
		"operation":         {Operation: "PATCH"},
		"oldObject":         {Operation: "UPDATE"},
		"policy":            {Policy: "{}"},
		"nodeNameTo":        {NodeNameTo: "label"},
		"rulesUrl":          {RulesURL: "rules.html"},
		"kubernetesVersion": {KubernetesVersion: "x"},
		"featureGates":      {FeatureGates: "x"},
	} {
		_, err := AdmitText(context.Background(), []byte(admitTemplate), opts)
		var wrong *OptionError
		if !errors.As(err, &wrong) || wrong.Option != option {
			t.Errorf("%s: got %v", option, err)
		}
	}
}
