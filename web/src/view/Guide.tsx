import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { App } from '../app';
import { exampleOf, opening, placesOf, wordsOf, type Example } from '../examples';
import { t } from '../texts';
import { changeable, steps } from '../tour';
import { Close } from './icons';
import { useParts } from './parts';

/** The tour, or what the example on the screen proposes. */
export function Guide({ app }: { app: App }) {
  const [hidden, hide] = useState('');
  const { tour } = useParts(app, 'tour', 'asked', 'validate');
  if (tour !== undefined) return <Tour app={app} step={tour} />;
  const example = exampleOf(app.headline);
  if (!example || example.id === hidden) return null;
  return <Try key={example.id} app={app} example={example} hide={() => hide(example.id)} />;
}

/** What to change in an example, and then what has come of it. */
function Try({ app, example, hide }: { app: App; example: Example; hide(): void }) {
  const [made, setMade] = useState<{ before: string; after: string }>();
  const { text } = app;
  const done = made?.after === text;
  if (!done && !placesOf(example.changes, text)) return null;
  // Of the text as it is then: somebody may have typed since this was drawn.
  const act = () => {
    const before = app.text;
    if (made?.after === before) return app.retext(made.before);
    const places = placesOf(example.changes, before);
    if (!places) return;
    app.change(places);
    setMade({ before, after: app.text });
  };
  return (
    <section class="guide" aria-label={t.guide.label} data-example={example.id}>
      <p role="status">
        <strong>{done ? t.guide.done : t.guide.tryIt}</strong>{' '}
        <span>{done ? wordsOf(example).then : wordsOf(example).tip}</span>
      </p>
      <button type="button" class="button small" onClick={act}>
        {done ? t.guide.back : t.guide.do}
      </button>
      <button type="button" class="button square quiet" aria-label={t.guide.dismiss} onClick={hide}>
        <Close />
      </button>
    </section>
  );
}

function Tour({ app, step }: { app: App; step: number }) {
  const root = useRef<HTMLElement>(null);
  const { title, text } = t.tour.steps[step]!;
  const last = step === steps.length - 1;
  // A step may put the cursor into the text; whoever reads is here.
  useLayoutEffect(() => root.current?.focus(), [step]);
  return (
    <section
      class="guide tour"
      ref={root}
      tabIndex={-1}
      aria-label={t.tour.label(step + 1, steps.length)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        app.tour(undefined);
      }}
    >
      <p>
        <strong>{title}</strong> <span>{text}</span>
      </p>
      {steps[step]!.change && changeable(app) && (
        <button
          type="button"
          class="button small"
          onClick={() => app.change(placesOf(opening.changes, app.text) ?? [])}
        >
          {t.guide.do}
        </button>
      )}
      <span class="tour-steps" aria-hidden="true">
        {step + 1}/{steps.length}
      </span>
      {step > 0 && (
        <button type="button" class="button small" onClick={() => app.tour(step - 1)}>
          {t.tour.back}
        </button>
      )}
      <button
        type="button"
        class="button small primary"
        onClick={() => app.tour(last ? undefined : step + 1)}
      >
        {last ? t.tour.finish : t.tour.next}
      </button>
      <button
        type="button"
        class="button square quiet"
        aria-label={t.tour.end}
        onClick={() => app.tour(undefined)}
      >
        <Close />
      </button>
    </section>
  );
}
