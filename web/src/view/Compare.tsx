import { useLayoutEffect, useRef } from 'preact/hooks';
import type { App } from '../app';
import type { Difference } from '../api';
import { list } from '../format';
import { More } from './More';
import { t } from '../texts';
import { useParts } from './parts';

/** What has become different since a change was applied. */
export function Compare({ app }: { app: App }) {
  const { baseline, diff } = useParts(app, 'baseline', 'diff');
  const section = useRef<HTMLElement>(null);
  // The button that applied the change is gone: go on from here.
  useLayoutEffect(() => {
    if (baseline && document.activeElement === document.body) section.current?.focus();
  });
  if (!baseline) return null;
  const all = diff ? [...diff.pods, ...diff.claims] : [];
  return (
    <section
      class="compare"
      ref={section}
      tabIndex={-1}
      aria-label={t.compare.title}
      data-changed={diff ? all.length : ''}
    >
      <h2 class="group-title">{t.compare.title}</h2>
      <p>{baseline.change}</p>
      {diff && (
        <>
          <p class="compare-sum">
            {t.compare.places(
              diff.before.placed,
              diff.before.pods,
              diff.after.placed,
              diff.after.pods,
            )}{' '}
            {all.length === 0 && t.compare.nothing}
          </p>
          <ul class="changes">
            <More
              all={all}
              step={20}
              what={t.compare.changes}
              item={(change, index) => <Change key={index} change={change} />}
            />
          </ul>
        </>
      )}
      <p class="compare-tools">
        <button type="button" class="button small" onClick={() => app.core.backToBaseline()}>
          {t.compare.back}
        </button>
        <button type="button" class="button small" onClick={() => app.core.compareWith(undefined)}>
          {t.compare.keep}
        </button>
      </p>
    </section>
  );
}

function Change({ change: { name, before, after } }: { change: Difference }) {
  return (
    <li class="change" data-change={name}>
      <span class="name">{name}</span>: <Side side={before} missing={t.compare.new} />
      <span aria-hidden="true"> → </span>
      <span class="hidden"> {t.compare.becomes} </span>
      <Side side={after} missing={t.compare.gone} />
    </li>
  );
}

function Side({ side, missing }: { side: Difference['before']; missing: string }) {
  if (!side) return <span>{missing}</span>;
  const { outcome, node, devices } = side;
  const word = t.outcomes[outcome as keyof typeof t.outcomes] ?? outcome;
  const placed = node ? t.placed(word, node) : word;
  const names = list(devices.map((id) => id.slice(id.lastIndexOf('/') + 1)));
  return <span>{devices.length > 0 ? t.compare.with(placed, names) : placed}</span>;
}
