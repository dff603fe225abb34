import type { OutlineEntry } from '../api';
import type { App } from '../app';
import { t } from '../texts';
import { useAnswer } from './ask';
import { Missing } from './Missing';

/** Of what the text is made; a click leads there. */
export function Outline({ app }: { app: App }) {
  const asked = useAnswer<{ entries: OutlineEntry[] }>(app, 'outline');
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  if (result.entries.length === 0) return <p class="calm">{t.noObject}</p>;
  return <Entries app={app} entries={result.entries.slice(0, 500)} depth={0} />;
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
