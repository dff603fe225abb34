import type { App } from '../app';
import { explain } from '../engine/failure';
import { megabytes } from '../format';

/** What stands in the way of an answer, and the way on. */
export function Status({ app }: { app: App }) {
  const { engine, refusal, abandoned, version } = app.state;
  if (engine.phase === 'failed') {
    const { title, text } = explain(engine.failure, navigator.onLine);
    return (
      <div class="status bad" role="alert">
        <h2>{title}</h2>
        <p>{text}</p>
        <button type="button" class="button" onClick={() => app.retry()}>
          Try again
        </button>
      </div>
    );
  }
  if (engine.phase === 'loading') return <Loading {...engine} />;
  if (abandoned !== undefined) {
    return (
      <div class="status unsure" role="alert">
        <h2>Given up after {Math.max(1, Math.round(abandoned))} s</h2>
        <p>
          This text takes the core too long in a browser, so there is no answer to it. Make it
          smaller, or ask the command line, which may take its time.
        </p>
        <button type="button" class="button" onClick={() => app.retry()}>
          Try again
        </button>
      </div>
    );
  }
  if (refusal) {
    return (
      <div class="status bad" role="alert">
        <h2>
          {refusal.option ? `The option ${refusal.option} cannot be used` : 'There is no answer'}
        </h2>
        <p>{refusal.message}</p>
        {refusal.option && (
          <button
            type="button"
            class="button"
            onClick={() => app.choose(refusal.option === 'featureGates' ? version : '', {})}
          >
            Back to the defaults
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
        {known && received >= total ? 'Starting the core' : 'Loading the core'}
      </h2>
      <progress
        aria-labelledby="loading-title"
        {...(known && { value: received, max: total })}
      ></progress>
      <p class="muted">
        {known ? `${megabytes(received)} of ${megabytes(total)}` : 'Once; the browser keeps it.'}
      </p>
    </div>
  );
}
