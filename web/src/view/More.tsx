import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts';

/** A list that is drawn a part at a time, so that a long one never holds the page up. */
export function More<T>({
  all,
  step,
  what,
  item,
}: {
  all: readonly T[];
  step: number;
  /** Several of them, in words. */
  what: string;
  item(one: T, index: number): ComponentChildren;
}) {
  const [most, setMost] = useState(step);
  return (
    <>
      {all.slice(0, most).map(item)}
      {all.length > most && (
        <button type="button" class="button more" onClick={() => setMost(most + step)}>
          {t.more(Math.min(step, all.length - most), all.length, what)}
        </button>
      )}
    </>
  );
}
