// What the page shows of the core's answers, apart from any markup: which
// devices a claim got, nodes alike put together, and everything in a sentence.

import type {
  AllocateResult,
  ClaimResult,
  DeviceAllocation,
  Diagnostic,
  DiffResult,
  ExplainResult,
  NodeResult,
  PodResult,
  Severity,
} from './api';
import { t } from './texts';
import type { Subject } from './selection';

export const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** Findings by severity, the worst first; severities without any are left out. */
export function bySeverity(list: readonly Diagnostic[]): [Severity, Diagnostic[]][] {
  return severities
    .map((severity): [Severity, Diagnostic[]] => [
      severity,
      list.filter((diagnostic) => diagnostic.severity === severity),
    ])
    .filter(([, found]) => found.length > 0);
}

/** Findings that ask for a change; information does not. */
export function problems(list: readonly Diagnostic[]): number {
  return list.filter(({ severity }) => severity !== 'info').length;
}

/**
 * Where a rule is explained. The answer's URL is relative to the root of a
 * server; the page may live in a folder of another host, with rules.html
 * beside it.
 */
export function ruleLink({ url }: Diagnostic): string {
  return url.replace(/^\//, '');
}

export function claimName(result: ClaimResult): string {
  const { namespace, name } = result.claim?.metadata ?? {};
  return `${namespace || 'default'}/${name ?? ''}`;
}

export function devicesOf(result: ClaimResult): DeviceAllocation[] {
  return result.claim?.status?.allocation?.devices?.results ?? [];
}

/** A claim as the page shows it: its letter and colour are the same everywhere. */
export interface MarkedClaim {
  name: string;
  mark: number;
  result: ClaimResult;
}

export interface PodView {
  pod: PodResult;
  claims: MarkedClaim[];
}

export interface AllocationView {
  pods: PodView[];
  /** Claims that no pod of the text uses. */
  others: MarkedClaim[];
}

export function allocationView(result: AllocateResult): AllocationView {
  const marked = result.claims.map((claim, mark) => ({
    name: claimName(claim),
    mark,
    result: claim,
  }));
  const byName = new Map<string, MarkedClaim[]>();
  for (const claim of marked) {
    const alike = byName.get(claim.name);
    if (alike) alike.push(claim);
    else byName.set(claim.name, [claim]);
  }
  const used = new Set<string>();
  const pods = result.pods.map((pod) => {
    const names = [...new Set(pod.claims)].filter((name) => byName.has(name));
    for (const name of names) used.add(name);
    const claims = names.flatMap((name) => byName.get(name)!);
    return { pod, claims: claims.sort((a, b) => a.mark - b.mark) };
  });
  return { pods, others: marked.filter(({ name }) => !used.has(name)) };
}

/** A, B, … Z, A2, B2, …: the letter that doubles a claim's colour. */
export function letter(mark: number): string {
  const round = Math.floor(mark / 26);
  return String.fromCharCode(65 + (mark % 26)) + (round > 0 ? String(round + 1) : '');
}

export interface NodeGroup {
  names: string[];
  node: NodeResult;
}

/** Nodes that say the same, wherever in the text, put together in the order of their first. */
export function groupNodes(nodes: readonly NodeResult[]): NodeGroup[] {
  const groups = new Map<string, NodeGroup>();
  for (const node of nodes) {
    const key = JSON.stringify([node.fits, node.reasons ?? []], (name, value: unknown) =>
      name === 'location' ? undefined : value,
    ).replaceAll(JSON.stringify(node.name), '""');
    const group = groups.get(key);
    if (group) group.names.push(node.name);
    else groups.set(key, { names: [node.name], node });
  }
  return [...groups.values()];
}

/** The state of a text in one sentence, for the live region. */
export function announce(
  diagnostics: readonly Diagnostic[],
  allocation: AllocateResult | undefined,
): string {
  const found = problems(diagnostics);
  const parts = [found === 0 ? t.announce.none : t.announce.problems(found)];
  const pods = allocation?.pods ?? [];
  const placed = pods.filter(({ outcome }) => outcome === 'Scheduled').length;
  if (placed > 0) parts.push(t.announce.scheduled(placed));
  for (const { name, outcome, node } of pods) {
    if (outcome !== 'Scheduled' || pods.length === 1) {
      parts.push(
        t.announce.one(name, node ? t.placed(t.outcomes[outcome], node) : t.outcomes[outcome]),
      );
    }
  }
  return parts.slice(0, 6).join(t.announce.and);
}

/** What is known of the one that is looked at closely, in a sentence. */
export function announceCloser(
  subject: Subject | undefined,
  explain: ExplainResult | undefined,
): string {
  if (!subject || !explain) return '';
  const { selected, outcome, message } = subject;
  const fixes = explain.fitsIf.length;
  const said = t.announce.because(selected.name, t.outcomes[outcome], message);
  return [said, ...(fixes > 0 ? [t.announce.help(fixes)] : [])].join(t.announce.stop);
}

/** What a change made different, in a sentence. */
export function announceDiff(diff: DiffResult | undefined): string {
  if (!diff) return '';
  const changed = diff.pods.length + diff.claims.length;
  return t.announce.different(changed);
}

/** How an outcome looks: shape and colour are chosen by this. */
export type Look = 'good' | 'bad' | 'held' | 'unsure';

export const outcomeLooks: Record<PodResult['outcome'] | ClaimResult['outcome'], Look> = {
  Scheduled: 'good',
  Allocated: 'good',
  AlreadyScheduled: 'held',
  AlreadyAllocated: 'held',
  Unschedulable: 'bad',
  Unallocated: 'bad',
  Invalid: 'bad',
  Undecided: 'unsure',
};
