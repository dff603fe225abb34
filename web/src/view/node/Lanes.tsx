import { useMemo } from 'preact/hooks';
import type { PodOperations } from '../../api';
import type { App } from '../../app';
import { draw, spacing, type Drawing, type Row } from '../../node/lanes';
import { words } from '../../texts/beyond';
import { More } from '../More';
import { Said } from '../Said';

/** Where the marks of a row are, from its top. */
const middle = 13;

/** What happens to a pod, as lanes with the words beside them. */
export function Lanes({ app, pod }: { app: App; pod: PodOperations }) {
  const w = words();
  const drawing = useMemo(() => draw(pod), [pod]);
  const { lanes, rows } = drawing;
  return (
    <section class="sequence" aria-label={w.node.sequence(`${pod.namespace}/${pod.name}`)}>
      <h2 class="group-title">{w.node.steps}</h2>
      <ol class="lane-names" aria-hidden="true">
        {lanes.map(({ name, driver }, index) => (
          <li key={name} class={driver ? 'lane-name driver' : 'lane-name'}>
            <span class="lane-number">{index + 1}</span> {name}
          </li>
        ))}
      </ol>
      <ol class="steps">
        <More
          all={rows}
          step={100}
          what={w.node.moreSteps}
          item={(row, index) => (
            <li key={index} class={`step ${row.look}`} data-step={row.look}>
              <Strip
                drawing={drawing}
                row={row}
                first={index === 0}
                last={index === rows.length - 1}
              />
              <Words app={app} row={row} actor={lanes[row.lane]!.name} />
            </li>
          )}
        />
      </ol>
    </section>
  );
}

function Words({ app, row, actor }: { app: App; row: Row; actor: string }) {
  const w = words();
  const { step, skipped, look } = row;
  // A driver's sentence has its name in it.
  const named = step && step.actor !== 'driver';
  return (
    <p class="step-words">
      {named && <span class="kind">{actor}</span>}{' '}
      {step ? (
        <Said app={app} location={step.location} text={step.message} />
      ) : (
        skipped && w.node.notCalled(skipped.operation, skipped.driver, skipped.claims.join(', '))
      )}{' '}
      <span class={look === 'done' ? 'hidden' : `step-look ${look}`}>{w.node.outcomes[look]}</span>
    </p>
  );
}

/** The piece of the picture that belongs to a row. */
function Strip({
  drawing: { lanes },
  row: { lane, from, look },
  first,
  last,
}: {
  drawing: Drawing;
  row: Row;
  first: boolean;
  last: boolean;
}) {
  const gap = spacing(lanes.length);
  const x = (index: number) => gap / 2 + index * gap;
  const at = x(lane);
  const left = from !== undefined && from > lane;
  return (
    <div class="strip" style={{ width: `${lanes.length * gap}px` }} aria-hidden="true">
      <svg width="100%" height="100%">
        {lanes.map(({ name }, index) => (
          <line
            key={name}
            class="lane"
            x1={x(index)}
            x2={x(index)}
            y1={first ? middle : 0}
            y2={last ? middle : '100%'}
          />
        ))}
        {from !== undefined && (
          <line
            class={`call ${look}`}
            x1={x(from)}
            x2={left ? at + 5 : at - 5}
            y1={middle}
            y2={middle}
          />
        )}
        {look === 'stops' || look === 'skipped' || look === 'never' ? (
          <path
            class={`mark-of ${look}`}
            d={`M${at - 4} ${middle - 4}l8 8M${at + 4} ${middle - 4}l-8 8`}
          />
        ) : (
          <circle class={`mark-of ${look}`} cx={at} cy={middle} r="4.5" />
        )}
      </svg>
    </div>
  );
}
