// The changes that the core found to help: as lines of a diff, and as the
// options to ask with.

import type { Counterfactual, Diagnostic, FixesResult, TextEdit } from './api';
import { parseGates, type GateChoice } from './gates';

/** The version and gates of a fix that changes those; undefined where it does not. */
export function optionsOfFix(
  { steps }: Counterfactual,
  now: { version: string; gates: GateChoice },
): { version: string; gates: GateChoice } | undefined {
  let next: { version: string; gates: GateChoice } | undefined;
  for (const { featureGates, kubernetesVersion } of steps) {
    if (featureGates === undefined && kubernetesVersion === undefined) continue;
    next ??= now;
    if (kubernetesVersion !== undefined) next = { ...next, version: kubernetesVersion };
    if (featureGates !== undefined) next = { ...next, gates: parseGates(featureGates) };
  }
  return next;
}

export interface DiffLine {
  sign: '-' | '+';
  /** The line of the text that is taken out; 0 for one that comes in. */
  line: number;
  text: string;
}

/** More lines than these nobody reads in a preview. */
const most = 12;

/** What edits do to the lines of a text, read line by line. */
export function diffLines(
  edits: readonly TextEdit[],
  lineAt: (line: number) => string,
): DiffLine[] {
  const out: DiffLine[] = [];
  const sorted = edits
    .flatMap(({ location, replacement }) => (location ? [{ location, replacement }] : []))
    .sort((a, b) => a.location.line - b.location.line || a.location.column - b.location.column);
  for (let i = 0; i < sorted.length && out.length < most;) {
    // Edits that touch the same lines are shown as one change of them.
    const first = sorted[i]!.location.line;
    let last = sorted[i]!.location.endLine;
    let next = i + 1;
    while (next < sorted.length && sorted[next]!.location.line <= last) {
      last = Math.max(last, sorted[next]!.location.endLine);
      next++;
    }
    const before: string[] = [];
    for (let line = first; line <= last; line++) before.push(lineAt(line));
    let after = before.join('\n');
    for (const { location, replacement } of sorted.slice(i, next).reverse()) {
      const from = offsetIn(before, location.line - first, location.column);
      const to = offsetIn(before, location.endLine - first, location.endColumn);
      after = after.slice(0, from) + replacement + after.slice(to);
    }
    out.push(...changed(first, before, after.split('\n')));
    i = next;
  }
  return out.slice(0, most);
}

/** The offset of a place in lines that are joined; columns are code points. */
function offsetIn(lines: readonly string[], index: number, column: number): number {
  let offset = 0;
  for (let i = 0; i < index; i++) offset += (lines[i]?.length ?? 0) + 1;
  const points = [...(lines[index] ?? '')].slice(0, column - 1);
  return offset + points.join('').length;
}

/** Leaves out the lines that stay at the start and at the end. */
function changed(first: number, before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail++;
  }
  return [
    ...before
      .slice(head, before.length - tail)
      .map((text, i): DiffLine => ({ sign: '-', line: first + head + i, text })),
    ...after
      .slice(head, after.length - tail)
      .map((text): DiffLine => ({ sign: '+', line: 0, text })),
  ];
}

/** Findings without a suggestion, with the changes of one place that mend them. */
export function withFixes(
  diagnostics: readonly Diagnostic[],
  { fixes }: FixesResult,
): Diagnostic[] {
  const mended = [...diagnostics];
  for (const { finding, message, edits } of fixes) {
    const [edit] = edits;
    const old = mended[finding];
    if (!edit || edits.length > 1 || !old || old.suggestion?.location) continue;
    mended[finding] = { ...old, suggestion: { message, ...edit } };
  }
  return mended;
}
