import { count } from '../format';

/** More entries than this nobody reads, and drawing them would take seconds. */
export const most = 300;

/** Says how many entries of a long list are not drawn. */
export function Rest({ all, one, many }: { all: number; one: string; many: string }) {
  if (all <= most) return null;
  return <p class="calm">And {count(all - most, one, many)} more: the JSON has all of them.</p>;
}
