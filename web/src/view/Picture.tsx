import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { letter } from '../answers';
import type { App } from '../app';
import type { NodeResult, PictureLink } from '../api';
import { cards, currentIn, deviceAt, drawing, holdings, refusalsOf, search } from '../picture';
import { subjectOf } from '../selection';
import { sameSelected } from '../state';
import { Links } from './Links';
import { NodeCard, type Scene } from './NodeCard';
import { useDerived, useParts } from './parts';
import { Pool } from './Pool';
import { t } from '../texts';

/** How many cards are drawn, and how many more at a time. */
const atOnce = 12;

const none: readonly NodeResult[] = [];
const noLinks: readonly PictureLink[] = [];

/** What there is and who holds it; with a pod chosen, why it is not for that pod. */
export function Picture({ app }: { app: App }) {
  const { allocate, selected, closer, filter } = useParts(
    app,
    'allocate',
    'selected',
    'closer',
    'filter',
  );
  const result = allocate?.result;
  const stage = useRef<HTMLDivElement>(null);
  const [most, setMost] = useState(atOnce);
  useEffect(() => setMost(atOnce), [filter, selected]);

  const drawn = useMemo(() => result?.picture && drawing(result.picture), [result]);
  const held = useMemo(() => (result ? holdings(result) : new Map()), [result]);
  const tried = useMemo(() => {
    const subject = subjectOf(result, selected);
    if (!subject) return none;
    if (subject.nodes.length > 0) return subject.nodes;
    const explain = sameSelected(closer?.of, selected) ? closer?.explain : undefined;
    return explain?.pod?.nodes ?? explain?.claim?.nodes ?? none;
  }, [result, selected, closer]);
  const refusals = useMemo(() => refusalsOf(tried), [tried]);
  const found = useMemo(() => drawn && search(drawn, filter, refusals), [drawn, filter, refusals]);
  const groups = useMemo(
    () => (drawn && found ? cards(drawn, found.nodes, tried) : []),
    [drawn, found, tried],
  );
  // Most lines that the cursor passes belong to the same device, or to none.
  const current = useDerived(
    app,
    ({ line }) => drawn && deviceAt(drawn, line, (n) => app.lineAt(n)),
  );
  const links = drawn?.picture.links ?? noLinks;
  if (!drawn || !found || drawn.picture.pools.length === 0) return null;

  const scene: Scene = { drawn, held, refusals, current };
  const nodes = drawn.picture.nodes.length;
  return (
    <section class="picture" aria-label={t.picture.label}>
      <div class="picture-tools">
        <h2 class="group-title">
          {t.picture.sum(nodes, drawn.picture.pools.length, drawn.byId.size)}
        </h2>
        <input
          type="search"
          class="input"
          aria-label={t.picture.search}
          placeholder={t.picture.placeholder}
          value={filter}
          onInput={(event) => app.filter(event.currentTarget.value)}
        />
      </div>
      {filter && (
        <p class="calm" role="status">
          {found.shared.length > 0
            ? t.picture.foundShared(found.nodes.length, nodes, found.shared.length)
            : t.picture.found(found.nodes.length, nodes)}
        </p>
      )}
      <div class="scene" ref={stage}>
        {groups.slice(0, most).map((card) => (
          <NodeCard key={card.key} app={app} card={card} scene={scene} />
        ))}
        {groups.length > most && (
          <button type="button" class="button" onClick={() => setMost(most + atOnce)}>
            {t.picture.moreKinds(groups.length)}
          </button>
        )}
        {found.shared.slice(0, most).map((pool) => (
          <section
            key={`${pool.driver}/${pool.name}`}
            class="card"
            aria-label={t.picture.sharedPool(pool.name)}
          >
            <Pool
              app={app}
              pool={pool}
              held={held}
              refusals={refusals}
              current={currentIn(pool, current)}
            />
          </section>
        ))}
        <Links stage={stage} links={links} held={held} />
      </div>
      {links.length > 0 && (
        <ul class="link-list" aria-label={t.picture.constraints}>
          {links.slice(0, atOnce).map((link, index) => (
            <Link key={index} link={link} mark={held.get(link.claim)?.mark ?? 7} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** A constraint in words. */
function Link({ link, mark }: { link: PictureLink; mark: number }) {
  const values = link.devices.map((id, index) => {
    const device = id.slice(id.lastIndexOf('/') + 1);
    return t.picture.has(device, link.values[index] || t.picture.nothing);
  });
  return (
    <li>
      <span class={`mark mark-${mark % 8}`} aria-hidden="true">
        {letter(mark)}
      </span>{' '}
      {t.picture.link(link.claim, link.kind, link.attribute, values.join(t.units.comma))}
    </li>
  );
}
