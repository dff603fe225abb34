import { useEffect, useMemo, useState } from 'preact/hooks';
import type { App } from '../app';
import { printed } from '../engine/printer';
import { t } from '../texts';
import { Copy } from './icons';
import { useParts } from './parts';

/** More than this is shown only in part: a page of it helps nobody. */
const most = 200_000;

/** The answers as the core gave them. */
export function Json({ app }: { app: App }) {
  const [which, setWhich] = useState<'allocate' | 'validate'>('allocate');
  const raw = useParts(app, which)[which]?.raw ?? '';
  const [text, setText] = useState('');
  useEffect(() => {
    let current = true;
    void printed('json', raw).then((written) => {
      if (current) setText(written);
    });
    return () => {
      current = false;
    };
  }, [raw]);
  const blocks = useMemo(() => blocksOf(text.slice(0, most)), [text]);
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
        <button
          type="button"
          class="button"
          disabled={!raw}
          onClick={() => void app.sharing.copy(printed('json', raw))}
        >
          <Copy />
          {t.json.copy}
        </button>
      </div>
      <pre tabIndex={0} aria-label={t.json.answerOf(which)}>
        {blocks.map((block, index) => (
          <span key={index} class="json-block">
            {block}
          </span>
        ))}
      </pre>
      {text.length > most && <p class="muted">{t.json.cut}</p>}
    </div>
  );
}

const lines = 80;

/** The text in blocks of some lines; the browser lays out only those in sight. */
function blocksOf(text: string): string[] {
  const all = text.split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < all.length; at += lines) {
    const last = at + lines >= all.length;
    blocks.push(all.slice(at, at + lines).join('\n') + (last ? '' : '\n'));
  }
  return blocks;
}
