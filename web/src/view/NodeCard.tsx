import { useState } from 'preact/hooks';
import { letter } from '../answers';
import type { App } from '../app';
import type { PictureNode } from '../api';
import { cell, currentIn, type Card, type Drawing, type Holding, type Refusals } from '../picture';
import { Pool } from './Pool';
import { Rows } from './Rows';
import { t } from '../texts';

/** What a card is drawn from. */
export interface Scene {
  drawn: Drawing;
  held: ReadonlyMap<string, Holding>;
  refusals: Refusals;
  /** The device on whose lines the cursor is. */
  current: string | undefined;
}

/** A node with its pools, or nodes that look alike with those of one of them. */
export function NodeCard({ app, card, scene }: { app: App; card: Card; scene: Scene }) {
  const { nodes } = card;
  const [chosen, choose] = useState('');
  const [open, setOpen] = useState(false);
  const inText = scene.current?.split('/');
  const pointed = nodes.find(({ name }) =>
    scene.drawn.own
      .get(name)
      ?.some((pool) => pool.driver === inText?.[0] && pool.name === inText[1]),
  );
  const node = nodes.find(({ name }) => name === chosen) ?? pointed ?? nodes[0]!;
  const pools = scene.drawn.own.get(node.name) ?? [];
  return (
    <section class="card" aria-label={title(node)} data-node={node.name} data-alike={nodes.length}>
      <h3 class="card-title">
        <span class="kind">{t.kinds.node}</span>{' '}
        {node.location ? (
          <button type="button" class="plain name" onClick={() => app.goTo(node.location!)}>
            {node.name}
          </button>
        ) : (
          <span class="name">{node.name || t.allocation.nameless}</span>
        )}
        {nodes.length > 1 && (
          <button
            type="button"
            class="button small"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? t.picture.fold : t.picture.alike(nodes.length - 1)}
          </button>
        )}
      </h3>
      {open && (
        <Rows
          label={t.picture.lookAlike(nodes.length)}
          total={nodes.length}
          row={(index) => (
            <Compact node={nodes[index]!} scene={scene} choose={choose} chosen={node.name} />
          )}
        />
      )}
      {pools.length === 0 && <p class="calm">{t.picture.noPool(nodes.length)}</p>}
      {pools.map((pool) => (
        <Pool
          key={`${pool.driver}/${pool.name}`}
          app={app}
          pool={pool}
          held={scene.held}
          refusals={scene.refusals}
          current={currentIn(pool, scene.current)}
        />
      ))}
    </section>
  );
}

function title({ name }: PictureNode): string {
  return name ? t.picture.nodeNamed(name) : t.picture.nameless;
}

const mostDots = 24;

/** A node in one line: its name, and a mark for each device. */
function Compact({
  node,
  scene,
  choose,
  chosen,
}: {
  node: PictureNode;
  scene: Scene;
  choose(name: string): void;
  chosen: string;
}) {
  const cells = (scene.drawn.own.get(node.name) ?? []).flatMap((pool) =>
    pool.devices.slice(0, mostDots).map((device) => cell(pool, device, scene.held, scene.refusals)),
  );
  const taken = cells.filter(({ marks }) => marks.length > 0).length;
  return (
    <button
      type="button"
      class="compact"
      aria-pressed={node.name === chosen}
      onClick={() => choose(node.name)}
    >
      <span class="name">{node.name}</span>
      <span class="dots" aria-hidden="true">
        {cells.slice(0, mostDots).map(({ id, look, marks }) => (
          <span
            key={id}
            class={`dot ${look} ${marks[0] === undefined ? '' : `mark-${marks[0] % 8}`}`}
          >
            {marks[0] === undefined ? '' : letter(marks[0])}
          </span>
        ))}
      </span>
      <span class="compact-count">{t.picture.held(taken, cells.length)}</span>
    </button>
  );
}
