// The answers of the core, as the page reads them.

export type Severity = 'error' | 'warning' | 'info';

/** A range in the text: lines and columns from 1, in code points, the end exclusive. */
export interface Location {
  document: number;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface ObjectRef {
  index: number;
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

export interface Related {
  message: string;
  object?: ObjectRef;
  location?: Location;
}

export interface Suggestion {
  message: string;
  replacement?: string;
  location?: Location;
}

export interface Diagnostic {
  severity: Severity;
  source: 'decode' | 'api' | 'gate' | 'bundle';
  rule: string;
  type?: string;
  gate?: string;
  object?: ObjectRef;
  field?: string;
  value?: string;
  message: string;
  location?: Location;
  related?: Related[];
  suggestion?: Suggestion;
}

export interface ObjectResult {
  index: number;
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  valid: boolean;
}

export interface ValidateResult {
  valid: boolean;
  kubernetesVersion: string;
  objects: ObjectResult[];
  diagnostics: Diagnostic[];
}

export interface DeviceReason {
  driver: string;
  pool: string;
  device: string;
  code: string;
  message: string;
}

export interface Reason {
  code: string;
  message: string;
  claim?: string;
  request?: string;
  podWide?: boolean;
  location?: Location;
  devices?: DeviceReason[];
}

export interface NodeResult {
  name: string;
  fits: boolean;
  reasons?: Reason[];
}

export interface PodResult {
  namespace: string;
  name: string;
  outcome: 'Scheduled' | 'Unschedulable' | 'AlreadyScheduled' | 'Invalid' | 'Undecided';
  node?: string;
  message?: string;
  claims: string[];
  nodes: NodeResult[];
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

export interface ResourceClaim {
  metadata?: { name?: string; namespace?: string };
  status?: { allocation?: { devices?: { results?: DeviceAllocation[] } } };
}

export interface ClaimResult {
  outcome: 'Allocated' | 'AlreadyAllocated' | 'Unallocated' | 'Invalid' | 'Undecided';
  pod?: string;
  node?: string;
  message?: string;
  claim: ResourceClaim | null;
  nodes?: NodeResult[];
}

export interface AllocateResult {
  kubernetesVersion: string;
  pods: PodResult[];
  claims: ClaimResult[];
  diagnostics: Diagnostic[];
  assumptions: string[];
}

export interface GateInfo {
  name: string;
  stage: string;
  default: boolean;
  locked: boolean;
  needs: string[];
}

export interface VersionInfo {
  version: string;
  gates: GateInfo[];
}

export interface VersionsResult {
  default: string;
  /** Newest first. */
  versions: VersionInfo[];
}

/** What the core answers when it cannot answer. */
export interface Failure {
  error: { option: string; message: string };
}

export interface Options {
  kubernetesVersion?: string;
  featureGates?: string;
}
