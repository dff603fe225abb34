// The answers of the core, as the page reads them. Their shapes come from the
// OpenAPI document: the module gives the same bytes as the server.

import type { components } from './schema';

type Schemas = components['schemas'];

/** A range in the text: lines and columns from 1, in code points, the end exclusive. */
export type Location = Schemas['Location'];
export type ObjectRef = Schemas['Object'];
export type Suggestion = Schemas['Suggestion'];
export type Diagnostic = Schemas['Diagnostic'];
export type Severity = Diagnostic['severity'];
export type ValidateResult = Schemas['ValidateResult'];
export type Reason = Schemas['Reason'];
export type NodeResult = Schemas['NodeResult'];
export type PodResult = Schemas['PodResult'];
export type GateInfo = Schemas['GateInfo'];
export type VersionInfo = Schemas['VersionInfo'];
export type VersionsResult = Schemas['VersionsResult'];
export type Picture = Schemas['Picture'];
export type PictureNode = Schemas['PictureNode'];
export type PicturePool = Schemas['PicturePool'];
export type PictureDevice = Schemas['PictureDevice'];
export type PictureBar = Schemas['PictureBar'];
export type PictureLink = Schemas['PictureLink'];
export type NodeGroup = Schemas['NodeGroup'];
export type ExplainResult = Omit<Schemas['ExplainResult'], 'claim'> & { claim?: ClaimResult };
export type Counterfactual = Schemas['Counterfactual'];
export type TextEdit = Schemas['TextEdit'];
export type CapacityResult = Schemas['CapacityResult'];
export type DiffResult = Schemas['DiffResult'];
export type Difference = Schemas['Difference'];

export type ConvertResult = Schemas['ConvertResult'];
export type ConvertedObject = Schemas['ConvertedObject'];

/** What there is to say of a place of the text. */
export interface Hover {
  location?: Location;
  title: string;
  text: string;
  facts: { name: string; value: string }[];
  rules: { rule: string; url: string }[];
}

export interface CompletionItem {
  label: string;
  kind: 'field' | 'value' | 'name' | 'attribute' | 'function' | 'item' | 'object';
  detail?: string;
  text?: string;
  insert: string;
  cursor?: number;
}

/** What may stand at a place of the text, and the range that it replaces. */
export interface Completed {
  location?: Location;
  items: CompletionItem[];
}

export interface Places {
  symbol: string;
  places: Location[];
}

/** An object of the text, or a part of one. */
export interface OutlineEntry {
  kind: string;
  name: string;
  namespace?: string;
  location?: Location;
  at?: Location;
  children?: OutlineEntry[];
}

/** Changes of the text that mend findings; each was tried. */
export interface FixesResult {
  fixes: {
    finding: number;
    rule: string;
    message: string;
    edits: { location: Location; replacement: string }[];
  }[];
}

/** What the webhook would answer. */
export interface AdmitResult {
  phase: 'mutating' | 'validating';
  verdict: 'allowed' | 'denied' | 'patched';
  response: { allowed: boolean; status?: { message?: string }; warnings?: string[] };
  patch: { op: string; path: string; value?: unknown }[];
  findings: (Diagnostic & { action: 'deny' | 'warn' | 'audit' })[];
  before?: string;
  after?: string;
}

/** What the page reads of a device in a claim's status.allocation. */
export interface DeviceAllocation {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  shareID?: string;
  consumedCapacity?: Record<string, string>;
  skipNodeOperations?: string[];
  bindingConditions?: string[];
}

/** What the page reads of a claim; its whole shape is Kubernetes' own. */
export interface ResourceClaim {
  metadata?: { name?: string; namespace?: string };
  status?: { allocation?: { devices?: { results?: DeviceAllocation[] } } };
}

export type ClaimResult = Omit<Schemas['ClaimResult'], 'claim'> & { claim: ResourceClaim | null };
export type AllocateResult = Omit<Schemas['AllocateResult'], 'claims'> & { claims: ClaimResult[] };

/** What the module answers when it cannot answer. */
export interface Failure {
  error: { option: string; message: string };
}

export interface Options {
  kubernetesVersion?: string;
  featureGates?: string;
}

export type NodeOperationsResult = Schemas['NodeOperationsResult'];
export type PodOperations = Schemas['PodOperations'];
export type ClaimOperations = Schemas['ClaimOperations'];
export type NodeStep = Schemas['NodeStep'];
export type DeviceMetadataResult = Schemas['DeviceMetadataResult'];
export type DeviceMetadataFile = Schemas['DeviceMetadataFile'];
export type CheckMetadataResult = Schemas['CheckMetadataResult'];
export type PodResourcesResult = Schemas['PodResourcesResult'];
export type ResourceHealthResult = Schemas['ResourceHealthResult'];
export type PodDeviceHealth = Schemas['PodDeviceHealth'];
export type StatusAuthorizationResult = Schemas['StatusAuthorizationResult'];
export type ClaimRights = Schemas['ClaimRights'];
export type RightCheck = Schemas['RightCheck'];
export type RightGrant = Schemas['RightGrant'];
export type RightSource = Schemas['RightSource'];
export type RolesResult = Schemas['RolesResult'];
export type NegotiateResult = Schemas['NegotiateResult'];
export type Negotiation = Schemas['Negotiation'];
export type NegotiationStep = Schemas['NegotiationStep'];
