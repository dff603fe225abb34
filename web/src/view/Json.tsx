import { useMemo, useState } from 'preact/hooks';
import type { App } from '../app';
import { indentJSON } from '../format';
import { t } from '../texts';
import { Copy } from './icons';

/** More than this is shown only in part: a page of it helps nobody. */
const most = 200_000;

/** The answers as the core gave them. */
export function Json({ app }: { app: App }) {
  const [which, setWhich] = useState<'allocate' | 'validate'>('allocate');
  const raw = app.state[which]?.raw ?? '';
  const text = useMemo(() => indentJSON(raw), [raw]);
  return (
    <div class="json">
      <div class="json-tools">
        <fieldset class="segments">
          <legend class="hidden">{t.json.which}</legend>
          {(['allocate', 'validate'] as const).map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="which"
                checked={which === name}
                onChange={() => setWhich(name)}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <button type="button" class="button" disabled={!raw} onClick={() => void app.copy(text)}>
          <Copy />
          {t.json.copy}
        </button>
      </div>
      <pre tabIndex={0} aria-label={t.json.answerOf(which)}>
        {text.slice(0, most)}
      </pre>
      {text.length > most && <p class="muted">{t.json.cut}</p>}
    </div>
  );
}
