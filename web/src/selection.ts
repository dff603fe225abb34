// Which pods and claims can be looked at closely.

import { claimName } from './answers';
import type { AllocateResult, Location, NodeGroup, NodeResult } from './api';
import type { Selected } from './state';

/** A pod, or a claim without one, with what became of it. */
export interface Subject {
  selected: Selected;
  outcome: AllocateResult['pods'][number]['outcome'] | AllocateResult['claims'][number]['outcome'];
  node: string;
  message: string;
  /** The claims that belong to it. */
  claims: readonly string[];
  location: Location | undefined;
  nodes: readonly NodeResult[];
  groups: readonly NodeGroup[];
}

const known = new WeakMap<AllocateResult, readonly Subject[]>();

/** All that can be looked at: pods, and claims that no pod of the text uses. */
export function subjects(result: AllocateResult): readonly Subject[] {
  let all = known.get(result);
  if (!all) known.set(result, (all = subjectsOf(result)));
  return all;
}

function subjectsOf(result: AllocateResult): Subject[] {
  const used = new Set(result.pods.flatMap(({ claims }) => claims));
  return [
    ...result.pods.map((pod): Subject => ({
      selected: { kind: 'pod', name: `${pod.namespace}/${pod.name}` },
      outcome: pod.outcome,
      node: pod.node ?? '',
      message: pod.message ?? '',
      claims: pod.claims,
      location: pod.location,
      nodes: pod.nodes,
      groups: pod.groups ?? [],
    })),
    ...result.claims
      .filter((claim) => !used.has(claimName(claim)))
      .map((claim): Subject => ({
        selected: { kind: 'claim', name: claimName(claim) },
        outcome: claim.outcome,
        node: claim.node ?? '',
        message: claim.message ?? '',
        claims: [claimName(claim)],
        location: claim.location,
        nodes: claim.nodes ?? [],
        groups: claim.groups ?? [],
      })),
  ];
}

export function isPending({ outcome }: Pick<Subject, 'outcome'>): boolean {
  return !['Scheduled', 'AlreadyScheduled', 'Allocated', 'AlreadyAllocated'].includes(outcome);
}

/** The first that does not fit, else the first of all. */
export function firstPending(result: AllocateResult): Selected | undefined {
  const all = subjects(result);
  return (all.find(isPending) ?? all[0])?.selected;
}

export function subjectOf(
  result: AllocateResult | undefined,
  selected: Selected | undefined,
): Subject | undefined {
  if (!result || !selected) return undefined;
  return subjects(result).find(
    ({ selected: { kind, name } }) => kind === selected.kind && name === selected.name,
  );
}
