// Numbers and words as the page writes them.

import { t } from './texts';

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function duration(ms: number): string {
  if (ms < 1) return t.units.quick;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function count(n: number, one: string, many = one + 's'): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** Writes "a, b and c", and "a, b and 7 more" for long lists. */
export function list(names: readonly string[], most = 4): string {
  const shown = names.length > most ? names.slice(0, most - 1) : names;
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, t.units.others(rest)] : [...shown];
  const last = parts.pop();
  if (last === undefined) return '';
  return parts.length > 0 ? t.units.and(parts.join(t.units.comma), last) : last;
}
