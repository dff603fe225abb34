import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app';
import { t } from '../texts';
import { useParts } from './parts';

/** What is quicker than this, in milliseconds, nobody needs to hear of. */
const quick = 1500;

/** Says what the core is at and since when, and offers to stop it. */
export function Slow({ app }: { app: App }) {
  const { engine, stage, working } = useParts(app, 'engine', 'stage', 'working');
  const since = engine.phase === 'ready' ? stage?.since : undefined;
  const elapsed = useElapsed(since);
  if (!stage || since === undefined || (elapsed < quick && !working)) return null;
  const { stages } = t.frame;
  const what = stages[stage.operation as keyof typeof stages] ?? t.frame.searching;
  return (
    <div class="slow" data-stage={stage.operation}>
      {working ? (
        <label>
          <span>{t.frame.progress(working.done, working.total, working.what)}</span>
          <progress value={working.done} max={working.total} />
        </label>
      ) : (
        <span role="status">{what}</span>
      )}
      <span class="slow-time" aria-hidden="true">
        {t.frame.seconds(Math.floor(elapsed / 1000))}
      </span>
      <button type="button" class="button small" onClick={() => app.core.abandon()}>
        {t.frame.stop}
      </button>
    </div>
  );
}

/** The milliseconds since a moment, told anew every half second; 0 without one. */
function useElapsed(since: number | undefined): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    setElapsed(0);
    if (since === undefined) return;
    const timer = setInterval(() => setElapsed(performance.now() - since), 500);
    return () => clearInterval(timer);
  }, [since]);
  return since === undefined ? 0 : elapsed;
}
