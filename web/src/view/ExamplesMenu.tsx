import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { App } from '../app';
import { grouped, wordsOf } from '../examples';
import { t } from '../texts';
import { Chevron } from './icons';

/** A button that unfolds the list of examples. */
export function ExamplesMenu({ app }: { app: App }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useLayoutEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>('.menu-item')?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', outside);
    addEventListener('focusin', outside);
    return () => {
      removeEventListener('pointerdown', outside);
      removeEventListener('focusin', outside);
    };
  }, [open]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const items = [...(root.current?.querySelectorAll<HTMLElement>('.menu-item') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape') {
      setOpen(false);
      button.current?.focus();
    } else if (to !== undefined) {
      items[(to + items.length) % items.length]?.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="button"
        ref={button}
        aria-expanded={open}
        aria-controls="examples"
        onClick={() => setOpen(!open)}
      >
        {t.examples.open}
        <Chevron />
      </button>
      <div id="examples" class="menu" hidden={!open}>
        {grouped().map(([group, list]) => (
          <section
            key={group}
            aria-label={t.examples.groups[group as keyof typeof t.examples.groups]}
          >
            <h2 class="menu-title">{t.examples.groups[group as keyof typeof t.examples.groups]}</h2>
            <ul>
              {list.map((example) => (
                <li key={example.id}>
                  <button
                    type="button"
                    class="menu-item"
                    onClick={() => {
                      setOpen(false);
                      app.papers.openExample(example);
                    }}
                  >
                    <strong>{wordsOf(example).title}</strong>
                    <span>{wordsOf(example).about}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}
