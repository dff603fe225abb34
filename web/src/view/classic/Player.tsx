import { useState } from 'preact/hooks';
import type { NegotiationStep } from '../../api';
import type { App } from '../../app';
import { words } from '../../texts/beyond';
import { Taken } from '../beyond';
import { Said } from '../Said';

/** Steps that are played forward and back, each with its object as it is then. */
export function Player({ app, steps }: { app: App; steps: readonly NegotiationStep[] }) {
  const w = words().classic;
  const [wanted, setAt] = useState(0);
  const end = steps.length - 1;
  const at = Math.min(wanted, end);
  const { actor, reads, writes, why, object, location } = steps[at]!;
  const go = (to: number) => setAt(Math.max(0, Math.min(end, to)));
  const keys: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: end,
  };
  const buttons: [string, string, number][] = [
    ['«', w.first, 0],
    ['‹', w.back, at - 1],
    ['›', w.next, at + 1],
    ['»', w.last, end],
  ];
  return (
    <section
      class="player"
      aria-label={w.player}
      onKeyDown={(event) => {
        const to = keys[event.key];
        if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        // In the object the arrows scroll.
        if ((event.target as Element).closest('pre')) return;
        event.preventDefault();
        go(to);
      }}
    >
      <div class="player-tools" role="group" aria-label={w.player}>
        {buttons.map(([sign, name, to]) => (
          <button
            key={name}
            type="button"
            class="button square"
            aria-label={name}
            title={name}
            aria-disabled={to < 0 || to > end || to === at}
            onClick={() => go(to)}
          >
            <span aria-hidden="true">{sign}</span>
          </button>
        ))}
        <strong class="player-step" data-step={at + 1}>
          {w.step(at + 1, steps.length)}
        </strong>
      </div>
      <div class="player-now" role="status">
        <p>
          <strong>{actor}</strong> {writes ? w.writes(writes) : w.noWrite}
        </p>
        <p>{why}</p>
        {reads.length > 0 && (
          <p class="meta">
            <span>{w.reads}</span>
            {reads.map((name) => (
              <code key={name}>{name}</code>
            ))}
          </p>
        )}
      </div>
      {writes && (
        <>
          <h2 class="group-title">
            {location ? <Said app={app} location={location} text={w.object} /> : w.object}
          </h2>
          {object ? (
            <Taken app={app} text={object} label={w.object} />
          ) : (
            <p class="calm">{w.gone}</p>
          )}
        </>
      )}
      <details>
        <summary>{w.list}</summary>
        <ol class="all-steps">
          {steps.slice(0, 500).map((step, index) => (
            <li key={step.step}>
              <button
                type="button"
                class="plain"
                aria-current={index === at ? 'step' : undefined}
                onClick={() => go(index)}
              >
                {step.step}. {step.actor}: {step.writes ?? w.noWrite}
              </button>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
