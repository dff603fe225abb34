import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts';

const least = 25;
const most = 75;

/** Divides the halves; it can be dragged, or moved with the arrow keys. */
export function Divider({ halves }: { halves: RefObject<HTMLElement> }) {
  const [share, setShare] = useState(46);

  const move = (percent: number) => {
    const next = Math.min(most, Math.max(least, Math.round(percent)));
    halves.current?.style.setProperty('--split', `${next}%`);
    setShare(next);
  };
  const onPointerMove = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const { left, width } = halves.current!.getBoundingClientRect();
    move(((event.clientX - left) / width) * 100);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowLeft: share - 2, ArrowRight: share + 2, Home: least, End: most }[event.key];
    if (to === undefined || event.altKey) return;
    event.preventDefault();
    move(to);
  };

  return (
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label={t.page.width}
      aria-valuenow={share}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      onDblClick={() => move(46)}
    />
  );
}
