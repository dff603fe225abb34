// What the view Rights asks about, and the options of the core for it.

import type { AllocateResult } from '../api';

export interface Question {
  /** A service account as namespace/name, or the name of a user. */
  who: string;
  node: string;
  verb: 'update' | 'patch' | 'create';
  /** allocation and reservedFor. */
  writes: readonly string[];
  drivers: readonly string[];
  claim: string;
  allocatedNode: string;
  builtIn: boolean;
}

/** The options of statusAuthorization; what is empty is left out. */
export function optionsOf(question: Question): object {
  const { who, node, verb, writes, drivers, claim, allocatedNode, builtIn } = question;
  const account = isAccount(who);
  return {
    ...(account ? { serviceAccount: who } : { user: who }),
    ...(node && { node }),
    verb,
    ...(writes.length > 0 && { writes }),
    ...(drivers.length > 0 && { drivers }),
    ...(claim && { claim }),
    ...(allocatedNode && { allocatedNode }),
    ...(!builtIn && { withoutBuiltIn: true }),
  };
}

/** Users have colons in their names or no slash at all. */
export function isAccount(who: string): boolean {
  return who.includes('/') && !who.includes(':');
}

/** The names in a list with commas. */
export function namesIn(list: string): string[] {
  return [...new Set(list.split(/[\s,]+/).filter(Boolean))];
}

/** What is worth offering: drivers and nodes of the text, some of them where there are many. */
export function offered(result: AllocateResult | undefined, most = 100) {
  const pools = result?.picture?.pools ?? [];
  const allocated = (result?.claims ?? []).flatMap(
    ({ claim }) => claim?.status?.allocation?.devices?.results ?? [],
  );
  const some = (names: readonly string[]) => [...new Set(names.filter(Boolean))].slice(0, most);
  return {
    drivers: some([...pools, ...allocated].map(({ driver }) => driver)),
    nodes: some((result?.picture?.nodes ?? []).map(({ name }) => name)),
    /** A claim of the text came with a status, whose parts can be asked about. */
    statuses: (result?.claims ?? []).some(({ outcome }) => outcome === 'AlreadyAllocated'),
  };
}
