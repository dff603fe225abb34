import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

const height = 40;
const around = 6;

/** A long list of rows of one height, of which only those in sight are drawn. */
export function Rows({
  label,
  total,
  row,
}: {
  label: string;
  total: number;
  row(index: number): ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const inSight = 12;
  const from = Math.max(0, first - around);
  const to = Math.min(total, first + inSight + around);
  const rows = [];
  for (let i = from; i < to; i++) {
    rows.push(
      <li key={i} class="row" aria-posinset={i + 1} aria-setsize={total}>
        {row(i)}
      </li>,
    );
  }
  return (
    <div
      class="rows"
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ height: `${Math.min(total, inSight) * height}px` }}
      onScroll={() => setFirst(Math.floor((box.current?.scrollTop ?? 0) / height))}
    >
      <ul style={{ height: `${total * height}px`, paddingTop: `${from * height}px` }}>{rows}</ul>
    </div>
  );
}
