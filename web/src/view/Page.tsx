import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce, announceCloser, announceDiff } from '../answers';
import type { App } from '../app';
import { embedded } from '../embed';
import { subjectOf } from '../selection';
import { awaited, inFront, type Tab } from '../state';
import { Admission } from './Admission';
import { Allocation } from './Allocation';
import { CopyMenu } from './CopyMenu';
import { Divider } from './Divider';
import { Drop } from './Drop';
import { FileBar } from './FileBar';
import { EmbedBar } from './EmbedBar';
import { Footer } from './Footer';
import { GatesDialog } from './GatesDialog';
import { Guide } from './Guide';
import { Header } from './Header';
import { Close } from './icons';
import { Json } from './Json';
import { later } from './Later';
import { Outline } from './Outline';
import { Palette } from './Palette';
import { drawNow, useParts } from './parts';
import { Problems } from './Problems';
import { Slow } from './Slow';
import { Status } from './Status';
import { Stored } from './Stored';
import { panelId, tabId, Tabs } from './Tabs';
import { Update } from './Update';
import { Why } from './Why';
import { t } from '../texts';

const views = {
  problems: Problems,
  allocation: Allocation,
  why: Why,
  node: later(async () => (await import('./node/Node')).Node),
  rights: later(async () => (await import('./rights/Rights')).Rights),
  classic: later(async () => (await import('./classic/Classic')).Classic),
  stored: Stored,
  admission: Admission,
  outline: Outline,
  json: Json,
};

/** Views that offer themselves what can be copied of them. */
const ownCopies = new Set<Tab>(['json', 'node', 'rights', 'classic']);

export function Page({ app }: { app: App }) {
  const state = useParts(app, 'narrow', 'showText', 'tab', 'theme');
  const [gatesOpen, setGatesOpen] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const halves = useRef<HTMLElement>(null);

  useEffect(() => void app.start(host.current!), []);
  useEffect(() => {
    const { theme } = state;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [state.theme]);
  useKeys(app);

  const front = inFront(state);
  const View = front === 'text' ? undefined : views[front];
  const textPanel = state.narrow
    ? { role: 'tabpanel' as const, 'aria-labelledby': tabId('text') }
    : { 'aria-label': t.frame.text };
  return (
    <div class={`page ${state.narrow ? 'narrow' : ''} ${embedded ? 'embed' : ''}`}>
      <div>
        {embedded ? (
          <EmbedBar app={app} />
        ) : (
          <>
            <Header app={app} openGates={() => setGatesOpen(true)} />
            <Update app={app} />
            <Guide app={app} />
          </>
        )}
      </div>
      <main class="halves" ref={halves}>
        {state.narrow && <Tabs app={app} />}
        <section
          class="half text"
          id={panelId('text')}
          {...textPanel}
          hidden={state.narrow && front !== 'text'}
        >
          {!embedded && <FileBar app={app} />}
          <div class="editor" ref={host} />
        </section>
        {!state.narrow && <Divider halves={halves} />}
        <section class="half answer" aria-label={t.frame.answer} hidden={front === 'text'}>
          {!state.narrow && <Tabs app={app} />}
          {front !== 'text' && View && (
            <Panel app={app} front={front}>
              {!ownCopies.has(front) && <CopyMenu app={app} />}
              <Status app={app} />
              <View app={app} />
            </Panel>
          )}
          <Slow app={app} />
        </section>
      </main>
      {embedded ? <span /> : <Footer app={app} />}
      <GatesDialog app={app} open={gatesOpen} close={() => setGatesOpen(false)} />
      <Palette app={app} openGates={() => setGatesOpen(true)} />
      <Announcer app={app} />
      <Notice app={app} />
      {!embedded && <Drop app={app} />}
    </div>
  );
}

/** The keys that work everywhere on the page. */
function useKeys(app: App) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Looked at now, not when last drawn: the next key may come before that.
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      const target = event.target as Element;
      // Where what had the focus is gone, the page has it.
      const nowhere = target === document.body;
      const inAnswer = !nowhere && target.closest?.('.answer') !== null;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        app.palette(true);
      } else if (event.key === 'F8') {
        app.step(event.shiftKey ? -1 : 1);
      } else if (
        (inAnswer || nowhere) &&
        (event.key === 'Escape' || (event.altKey && event.key === 'ArrowLeft'))
      ) {
        app.focusText();
      } else if (!inAnswer && event.altKey && event.key === 'ArrowRight') {
        app.show(app.state.tab);
        drawNow();
        document.getElementById(panelId(app.state.tab))?.focus();
      } else {
        return;
      }
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, [app]);
}

/** Holds a view of the answer, and says whether a newer answer is on its way. */
function Panel({ app, front, children }: { app: App; front: Tab; children: ComponentChildren }) {
  const busy = awaited(useParts(app, 'busy', 'typed'));
  return (
    <div
      class={busy ? 'panel busy' : 'panel'}
      role="tabpanel"
      id={panelId(front)}
      aria-labelledby={tabId(front)}
      aria-busy={busy}
      tabIndex={0}
    >
      {children}
    </div>
  );
}

/** Tells a screen reader what changed, once the answer is complete. */
function Announcer({ app }: { app: App }) {
  const state = useParts(
    app,
    'busy',
    'typed',
    'validate',
    'allocate',
    'selected',
    'closer',
    'diff',
  );
  const { validate, allocate, selected, closer, diff } = state;
  const last = useRef('');
  const current = !awaited(state) && validate !== undefined;
  if (current) {
    last.current = [
      announce(validate.result.diagnostics, allocate?.result),
      announceCloser(subjectOf(allocate?.result, selected), closer?.explain),
      announceDiff(diff),
    ]
      .filter(Boolean)
      .join(t.announce.stop);
  }
  return (
    <p class="hidden" role="status" aria-live="polite" id="announcer" data-current={current}>
      {last.current}
    </p>
  );
}

function Notice({ app }: { app: App }) {
  const { notice } = useParts(app, 'notice');
  return (
    <div class="notices" role="status">
      {notice && (
        <div class={`notice ${notice.tone}`} key={notice.id}>
          <span>{notice.text}</span>
          <button
            type="button"
            class="button square quiet"
            aria-label={t.frame.dismiss}
            onClick={() => app.dismiss()}
          >
            <Close />
          </button>
        </div>
      )}
    </div>
  );
}
