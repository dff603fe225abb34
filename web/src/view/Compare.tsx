import { useEffect, useRef } from 'preact/hooks';
import { outcomeWords } from '../answers';
import type { App } from '../app';
import type { Difference } from '../api';
import { count, list } from '../format';
import { More } from './More';

/** What has become different since a change was applied. */
export function Compare({ app }: { app: App }) {
  const { baseline, diff } = app.state;
  const section = useRef<HTMLElement>(null);
  // The button that applied the change is gone: go on from here.
  useEffect(() => {
    if (baseline && document.activeElement === document.body) section.current?.focus();
  });
  if (!baseline) return null;
  const all = diff ? [...diff.pods, ...diff.claims] : [];
  return (
    <section
      class="compare"
      ref={section}
      tabIndex={-1}
      aria-label="Before and after"
      data-changed={diff ? all.length : ''}
    >
      <h2 class="group-title">Before and after</h2>
      <p>{baseline.change}</p>
      {diff && (
        <>
          <p class="compare-sum">
            {diff.before.placed} of {count(diff.before.pods, 'pod')} had a place,{' '}
            {diff.after.placed} of {diff.after.pods} have one now.
            {all.length === 0 && ' Nothing becomes different.'}
          </p>
          <ul class="changes">
            <More
              all={all}
              step={20}
              what="changes"
              item={(change, index) => <Change key={index} change={change} />}
            />
          </ul>
        </>
      )}
      <p class="compare-tools">
        <button type="button" class="button small" onClick={() => app.backToBaseline()}>
          Take it back
        </button>
        <button type="button" class="button small" onClick={() => app.compareWith(undefined)}>
          Keep it
        </button>
      </p>
    </section>
  );
}

function Change({ change: { name, before, after } }: { change: Difference }) {
  return (
    <li class="change" data-change={name}>
      <span class="name">{name}</span>: <Side side={before} missing="was not there" />
      <span aria-hidden="true"> → </span>
      <span class="hidden"> becomes </span>
      <Side side={after} missing="is gone" />
    </li>
  );
}

function Side({ side, missing }: { side: Difference['before']; missing: string }) {
  if (!side) return <span>{missing}</span>;
  const { outcome, node, devices } = side;
  const word = outcomeWords[outcome as keyof typeof outcomeWords] ?? outcome;
  return (
    <span>
      {word}
      {node && ` on ${node}`}
      {devices.length > 0 &&
        ` with ${list(devices.map((id) => id.slice(id.lastIndexOf('/') + 1)))}`}
    </span>
  );
}
