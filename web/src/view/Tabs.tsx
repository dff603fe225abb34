import type { App } from '../app';
import { problems } from '../answers';
import { isOld } from '../classic/old';
import { inFront, type Tab } from '../state';
import { t } from '../texts';
import { useParts } from './parts';

type Name = Tab | 'text';

export const tabId = (name: Name) => `tab-${name}`;
export const panelId = (name: Name) => `panel-${name}`;

/** The views of the answer, in their order. */
export const views: readonly { name: Tab }[] = [
  { name: 'problems' },
  { name: 'allocation' },
  { name: 'why' },
  { name: 'node' },
  { name: 'rights' },
  { name: 'stored' },
  { name: 'admission' },
  { name: 'outline' },
  { name: 'json' },
];

/** The views of the answer; where there is little room, the text is one of them. */
export function Tabs({ app }: { app: App }) {
  const state = useParts(app, 'narrow', 'showText', 'tab', 'validate', 'allocate');
  const { narrow, tab, validate, allocate } = state;
  const front = inFront(state);
  const found = problems(validate?.result.diagnostics ?? []);
  const pending = (allocate?.result.pods ?? []).filter(
    ({ outcome }) => outcome === 'Unschedulable' || outcome === 'Undecided',
  ).length;
  const counts: Partial<Record<Name, { count: number; hint?: string }>> = {
    problems: { count: found },
    allocation: { count: pending, hint: t.tabs.pending },
  };
  // What hardly a text needs has its tab only where it does.
  const old = tab === 'classic' || (validate?.result.objects ?? []).some(isOld);
  const shown = old ? [...views, { name: 'classic' as const }] : views;
  const tabs: { name: Name; count?: number; hint?: string }[] = [
    ...(narrow ? [{ name: 'text' as const }] : []),
    ...shown.map((view) => ({ ...view, ...counts[view.name] })),
  ];

  const move = (event: KeyboardEvent) => {
    const list = event.currentTarget as HTMLElement;
    const items = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || event.altKey) return;
    event.preventDefault();
    const target = items[(to + items.length) % items.length]!;
    target.focus();
    target.click();
  };

  return (
    <div class="tabs" role="tablist" aria-label={t.tabs.label} onKeyDown={move}>
      {tabs.map(({ name, count, hint }) => {
        const selected = name === front;
        return (
          <button
            key={name}
            type="button"
            role="tab"
            id={tabId(name)}
            class="tab"
            aria-selected={selected}
            {...(selected && { 'aria-controls': panelId(name) })}
            tabIndex={selected ? 0 : -1}
            onClick={() => app.show(name)}
          >
            {t.tabs.names[name]}
            {count ? (
              <span class="badge">
                {count}
                <span class="hidden"> {hint}</span>
              </span>
            ) : null}
          </button>
        );
      })}
    </div>
  );
}
