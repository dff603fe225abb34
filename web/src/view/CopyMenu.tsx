import { useRef, useState } from 'preact/hooks';
import type { App } from '../app';
import { asCurl, asKubectl, ofCluster, yamlOf } from '../commands';
import { indentJSON } from '../format';
import type { State, Tab } from '../state';
import { Chevron, Copy } from './icons';
import { t } from '../texts';

interface Question {
  operation: 'validate' | 'allocate' | 'explain';
  options: Record<string, unknown>;
}

/** What a view shows the answer to. */
function questionOf(tab: Tab, { selected }: State): Question {
  if (tab === 'problems') return { operation: 'validate', options: {} };
  if (tab === 'why' && selected) {
    return { operation: 'explain', options: { [selected.kind]: selected.name } };
  }
  return { operation: 'allocate', options: {} };
}

/** What is on the screen, to take elsewhere. */
export function CopyMenu({ app }: { app: App }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const { state } = app;
  const { operation, options } = questionOf(state.tab, state);
  const all = { ...app.options(), ...options };
  const raw =
    operation === 'explain'
      ? JSON.stringify(state.closer?.explain ?? null)
      : (state[operation]?.raw ?? 'null');
  const entries: [string, () => string][] = [
    [t.copy.curl, () => asCurl(operation, app.text, all)],
    [t.copy.kubectl, () => asKubectl(app.text)],
    [t.copy.cluster, () => ofCluster(operation, all)],
    [t.copy.json, () => indentJSON(raw)],
    [t.copy.yaml, () => yamlOf(raw)],
  ];
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div
      class="menu-root copy-menu"
      ref={root}
      onKeyDown={(event) => {
        if (!open || event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
      onFocusOut={(event) => {
        if (!root.current?.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <button
        type="button"
        class="button small"
        aria-expanded={open}
        aria-controls="copy-menu"
        onClick={() => setOpen(!open)}
      >
        <Copy />
        {t.copy.button}
        <Chevron />
      </button>
      <ul id="copy-menu" class="menu right" hidden={!open}>
        {entries.map(([name, text]) => (
          <li key={name}>
            <button
              type="button"
              class="menu-item"
              onClick={() => {
                close();
                void app.copy(text());
              }}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
