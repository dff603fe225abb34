// Which objects are of the time when controllers of drivers allocated claims.

import type { ObjectRef } from '../api';

/** Kinds that v1alpha3 got later, and has. */
const newer = new Set(['DeviceTaintRule', 'ResourcePoolStatusRequest']);

/** Kubernetes 1.26 to 1.31 had it, and no later version reads it. */
export function isOld({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  const version = /^resource\.k8s\.io\/v1alpha([123])$/.exec(apiVersion)?.[1];
  return version !== undefined && !(version === '3' && newer.has(kind));
}
