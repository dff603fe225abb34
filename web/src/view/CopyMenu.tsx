import { useRef, useState } from 'preact/hooks';
import type { App } from '../app';
import { printed } from '../engine/printer';
import type { Selected, Tab } from '../state';
import { Chevron, Copy } from './icons';
import { t } from '../texts';
import { useDerived, useParts } from './parts';

interface Question {
  operation: 'validate' | 'allocate' | 'explain';
  options: Record<string, unknown>;
}

/** What a view shows the answer to. */
function questionOf(tab: Tab, selected: Selected | undefined): Question {
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
  const { tab, selected } = useParts(app, 'tab', 'selected');
  const something = useDerived(app, ({ validate }) => validate !== undefined);
  const { operation, options } = questionOf(tab, selected);
  const raw = () => {
    const { state } = app;
    return operation === 'explain'
      ? JSON.stringify(state.closer?.explain ?? null)
      : (state[operation]?.raw ?? 'null');
  };
  const { curl, kubectl, cluster } = app.sharing.commands(operation, options);
  const entries: [string, () => string | Promise<string>][] = [
    [t.copy.curl, curl],
    [t.copy.kubectl, kubectl],
    [t.copy.cluster, cluster],
    [t.copy.json, () => printed('json', raw())],
    [t.copy.yaml, () => printed('yaml', raw())],
  ];
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  if (!something) return null;
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
                void app.sharing.copy(text());
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
