import type { App } from '../app';
import type { PicturePool } from '../api';
import { cell, deviceId, type Holding, type Refusals } from '../picture';
import { Bar, type Ghost } from './Bar';
import { sparing, useParts } from './parts';
import { Tile } from './Tile';
import { t } from '../texts';

/** More tiles than these at once would take the page's time. */
const mostTiles = 64;

/** A pool: its devices as tiles, and what they draw from as bars. */
export const Pool = sparing(PoolOf);

function PoolOf({
  app,
  pool,
  held,
  refusals,
  current,
}: {
  app: App;
  pool: PicturePool;
  held: ReadonlyMap<string, Holding>;
  refusals: Refusals;
  current: string | undefined;
}) {
  useParts(app); // the language
  const { location, problem, devices, counters = [] } = pool;
  const facts = [
    pool.driver,
    t.picture.generation(pool.generation),
    t.picture.slices(pool.slices, pool.announced),
    ...(pool.outdated ? [t.picture.older(pool.outdated)] : []),
    ...(pool.for ? [t.picture.for(pool.for)] : []),
  ];
  // The tile that the cursor is on is never among those left out.
  const at = devices.findIndex(
    (device) => deviceId(pool.driver, pool.name, device.name) === current,
  );
  const shown =
    at < mostTiles ? devices.slice(0, mostTiles) : [...devices.slice(0, mostTiles), devices[at]!];
  return (
    <div class="pool" data-pool={pool.name}>
      <p class="pool-title">
        <span class="kind">{t.kinds.pool}</span>{' '}
        {location ? (
          <button type="button" class="plain name" onClick={() => app.goTo(location)}>
            {pool.name}
          </button>
        ) : (
          <span class="name">{pool.name}</span>
        )}{' '}
        <span class="pool-facts">{facts.join(' · ')}</span>
      </p>
      {problem && <p class="pool-problem">{t.picture.problem(problem)}</p>}
      {devices.length > 0 && (
        <ul class="cells" aria-label={t.picture.devicesOf(pool.name)}>
          {shown.map((device) => {
            const drawn = cell(pool, device, held, refusals);
            return (
              <Tile
                key={device.name}
                app={app}
                pool={pool}
                cell={drawn}
                held={held}
                current={drawn.id === current}
              />
            );
          })}
        </ul>
      )}
      {devices.length > shown.length && (
        <p class="calm">{t.picture.moreDevices(devices.length - shown.length)}</p>
      )}
      {counters.map((set) => (
        <div key={set.name} class="counter-set" data-set={set.name}>
          <p class="set-title">
            <span class="kind">{t.kinds.counters}</span>{' '}
            {set.location ? (
              <button type="button" class="plain name" onClick={() => app.goTo(set.location!)}>
                {set.name}
              </button>
            ) : (
              <span class="name">{set.name}</span>
            )}
          </p>
          {set.counters.map((bar) => (
            <Bar
              key={bar.name}
              bar={bar}
              held={held}
              ghost={ghostOf(pool, set.name, bar.name, refusals)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** What the first device that was refused for this counter would take of it. */
function ghostOf(
  pool: PicturePool,
  set: string,
  counter: string,
  refusals: Refusals,
): Ghost | undefined {
  for (const device of pool.devices) {
    const refusal = refusals.get(deviceId(pool.driver, pool.name, device.name));
    if (refusal?.code !== 'counters') continue;
    const bar = pool.counters
      ?.find(({ name }) => name === set)
      ?.counters.find(({ name }) => name === counter);
    const taken = device.draws
      ?.find((draw) => draw.set === set)
      ?.counters.find(({ name }) => name === counter);
    if (bar && taken && bar.permille + taken.permille > 1000) {
      return { who: device.name, amount: taken.amount, permille: taken.permille };
    }
  }
  return undefined;
}
