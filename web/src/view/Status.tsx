import type { App } from '../app';
import { explain } from '../engine/failure';
import { megabytes } from '../format';
import { t } from '../texts';
import { useParts } from './parts';

/** What stands in the way of an answer, and the way on. */
export function Status({ app }: { app: App }) {
  const { engine, refusal, abandoned, version } = useParts(
    app,
    'engine',
    'refusal',
    'abandoned',
    'version',
  );
  if (engine.phase === 'failed') {
    const { title, text } = explain(engine.failure, navigator.onLine);
    return (
      <div class="status bad" role="alert">
        <h2>{title}</h2>
        <p>{text}</p>
        <button type="button" class="button" onClick={() => app.core.retry()}>
          {t.status.again}
        </button>
      </div>
    );
  }
  if (engine.phase === 'loading') return <Loading {...engine} />;
  if (abandoned !== undefined) {
    return (
      <div class="status unsure" role="alert">
        <h2>{t.status.givenUp(Math.max(1, Math.round(abandoned)))}</h2>
        <p>{t.status.tooLong}</p>
        <button type="button" class="button" onClick={() => app.core.retry()}>
          {t.status.again}
        </button>
      </div>
    );
  }
  if (refusal) {
    return (
      <div class="status bad" role="alert">
        <h2>{refusal.option ? t.status.option(refusal.option) : t.status.none}</h2>
        <p>{refusal.message}</p>
        {refusal.option && (
          <button
            type="button"
            class="button"
            onClick={() => app.choose(refusal.option === 'featureGates' ? version : '', {})}
          >
            {t.status.defaults}
          </button>
        )}
      </div>
    );
  }
  return null;
}

function Loading({ received, total }: { received: number; total: number }) {
  const known = total > 0;
  return (
    <div class="status">
      <h2 id="loading-title">
        {known && received >= total ? t.status.starting : t.status.loading}
      </h2>
      <progress
        aria-labelledby="loading-title"
        {...(known && { value: received, max: total })}
      ></progress>
      <p class="muted">
        {known ? t.status.part(megabytes(received), megabytes(total)) : t.status.once}
      </p>
    </div>
  );
}
