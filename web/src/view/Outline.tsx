import { useState } from 'preact/hooks';
import type { OutlineEntry } from '../api';
import type { App } from '../app';
import { t } from '../texts';
import { useAnswer } from './ask';
import { Missing } from './Missing';

/** How many objects are drawn, and how many more at a time. */
const atOnce = 100;

/** Of what the text is made; a click leads there. */
export function Outline({ app }: { app: App }) {
  const [most, setMost] = useState(atOnce);
  const asked = useAnswer<{ entries: OutlineEntry[] }>(app, 'outline');
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  if (result.entries.length === 0) return <p class="calm">{t.noObject}</p>;
  const { entries } = result;
  return (
    <>
      <Entries app={app} entries={entries.slice(0, most)} depth={0} />
      {entries.length > most && (
        <button type="button" class="button more" onClick={() => setMost(most + atOnce)}>
          {t.more(Math.min(atOnce, entries.length - most), entries.length, t.outline.objects)}
        </button>
      )}
    </>
  );
}

function Entries({
  app,
  entries,
  depth,
}: {
  app: App;
  entries: readonly OutlineEntry[];
  depth: number;
}) {
  return (
    <ul class="outline">
      {entries.map((entry, index) => (
        <li key={index}>
          <button
            type="button"
            class="plain"
            disabled={!entry.at}
            onClick={() => entry.at && app.goTo(entry.at)}
          >
            <span class="muted">
              {entry.kind === 'counterSet' ? t.outline.counterSet : entry.kind}
            </span>{' '}
            {entry.namespace ? `${entry.namespace}/` : ''}
            {entry.name || t.outline.nameless}{' '}
            {entry.at && <span class="line">{t.line(entry.at.line)}</span>}
          </button>
          {entry.children && depth < 8 && (
            <Entries app={app} entries={entry.children} depth={depth + 1} />
          )}
        </li>
      ))}
    </ul>
  );
}
