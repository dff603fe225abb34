import { t } from '../texts';

/** More entries than this nobody reads, and drawing them would take seconds. */
export const most = 300;

/** Says how many entries of a long list are not drawn; what counts them in words. */
export function Rest({ all, what }: { all: number; what(n: number): string }) {
  if (all <= most) return null;
  return <p class="calm">{t.rest(what(all - most))}</p>;
}
