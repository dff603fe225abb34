import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { PictureLink } from '../api';
import type { Holding } from '../picture';

interface Line {
  key: string;
  mark: number;
  path: string;
}

/** Draws the constraints of claims as lines between the tiles that they tie together. */
export function Links({
  stage,
  links,
  held,
}: {
  stage: RefObject<HTMLDivElement>;
  links: readonly PictureLink[];
  held: ReadonlyMap<string, Holding>;
}) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useLayoutEffect(() => {
    const element = stage.current;
    if (!element) return;
    const measure = () => {
      const next = linesBetween(element, links, held);
      setLines((known) => (JSON.stringify(known) === JSON.stringify(next) ? known : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  });
  if (links.length === 0) return null;
  return (
    <svg class="links" aria-hidden="true">
      {lines.map(({ key, mark, path }) => (
        <path key={key} class={`mark-${mark % 8}`} d={path} data-link={key} />
      ))}
    </svg>
  );
}

function linesBetween(
  stage: HTMLElement,
  links: readonly PictureLink[],
  held: ReadonlyMap<string, Holding>,
): Line[] {
  const origin = stage.getBoundingClientRect();
  const tiles = new Map<string, DOMRect>();
  for (const tile of stage.querySelectorAll<HTMLElement>('[data-cell]')) {
    tiles.set(tile.dataset['cell']!, tile.getBoundingClientRect());
  }
  const lines: Line[] = [];
  for (const { claim, kind, attribute, devices } of links) {
    for (let i = 1; i < devices.length; i++) {
      const from = tiles.get(devices[i - 1]!);
      const to = tiles.get(devices[i]!);
      if (!from || !to) continue;
      const [x1, y1] = [from.left + from.width / 2 - origin.left, from.bottom - origin.top];
      const [x2, y2] = [to.left + to.width / 2 - origin.left, to.bottom - origin.top];
      const low = Math.max(y1, y2) + 14;
      lines.push({
        key: `${claim} ${kind} ${attribute} ${i}`,
        mark: held.get(claim)?.mark ?? 7,
        path: `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`,
      });
    }
  }
  return lines;
}
