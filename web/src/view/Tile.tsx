import { letter } from '../answers';
import type { App } from '../app';
import type { PicturePool } from '../api';
import type { Cell, Holding } from '../picture';
import { Bar } from './Bar';
import { t } from '../texts';

/** A device: whose it is, what it takes part in, and why it is not for the chosen pod. */
export function Tile({
  app,
  pool,
  cell,
  held,
  current,
}: {
  app: App;
  pool: PicturePool;
  cell: Cell;
  held: ReadonlyMap<string, Holding>;
  /** The cursor is on its lines. */
  current: boolean;
}) {
  const { device, look, marks, word, text, unseen } = cell;
  const { location, draws = [], capacity = [], taints = [] } = device;
  const mark = marks[0];
  return (
    <li
      class={`cell ${look} ${mark === undefined ? '' : `mark-${mark % 8}`} ${current ? 'current' : ''}`}
      data-cell={cell.id}
      data-look={look}
      onPointerEnter={() => app.hint(cell.id, location?.line)}
      onPointerLeave={() => app.unhint(cell.id)}
    >
      <button
        type="button"
        class="cell-name"
        aria-disabled={location ? undefined : true}
        title={text}
        onClick={() => location && app.goTo(location)}
        onFocus={() => app.hint(cell.id, location?.line)}
        onBlur={() => app.unhint(cell.id)}
      >
        {marks.map((one) => (
          <span key={one} class={`cell-mark mark-${one % 8}`} aria-hidden="true">
            {letter(one)}
          </span>
        ))}
        <span class="cell-title">{device.name}</span>{' '}
        {word && <span class="cell-word">{word}</span>}
        <span class="hidden">, {unseen}</span>
      </button>
      {(draws.length > 0 || taints.length > 0 || device.for) && (
        <p class="cell-facts">
          {draws.map(({ set, groups = [], counters }) => (
            <span key={set} class="fact">
              {groups.map((group) => (
                <span key={group} class="group" title={t.picture.group(group)}>
                  {group}
                </span>
              ))}
              {drawn(counters, pool.counters && pool.counters.length > 1 ? set : '')}
            </span>
          ))}
          {taints.map(({ taint, location: at }, index) => (
            <span key={index} class="fact taint">
              {at ? (
                <button type="button" class="plain" onClick={() => app.goTo(at)}>
                  {taint}
                </button>
              ) : (
                taint
              )}
            </span>
          ))}
          {device.for && <span class="fact">{device.for}</span>}
        </p>
      )}
      {device.shared
        ? capacity.map((bar) => <Bar key={bar.name} bar={bar} held={held} />)
        : capacity.length > 0 && (
            <p class="cell-facts">
              {capacity.map(({ name, total }) => (
                <span key={name} class="fact">
                  {name} {total}
                </span>
              ))}
            </p>
          )}
    </li>
  );
}

/** What is drawn from counters; the set is named where there are several. */
function drawn(counters: readonly { name: string; amount: string }[], set: string): string {
  const amounts = counters.map(({ name, amount }) => `${name} ${amount}`).join(t.units.comma);
  return set ? t.picture.ofSet(amounts, set) : amounts;
}
