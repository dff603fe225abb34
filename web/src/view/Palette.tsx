import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OutlineEntry } from '../api';
import type { App } from '../app';
import { examples, wordsOf } from '../examples';
import { isOn, setGate } from '../gates';
import { subjects } from '../selection';
import { currentVersion } from '../state';
import { useAnswer } from './ask';
import { views } from './Tabs';
import { t } from '../texts';
import { useParts } from './parts';

interface Command {
  kind: string;
  name: string;
  run(): void;
}

/** As many as one can look through. */
const most = 12;

/** All that the page can do, found by typing: Control or Command with K. */
export function Palette({ app, openGates }: { app: App; openGates(): void }) {
  const { palette } = useParts(app, 'palette');
  const dialog = useRef<HTMLDialogElement>(null);
  // At once: what is typed next must not go into the text.
  useLayoutEffect(() => {
    if (palette) dialog.current?.showModal();
    else dialog.current?.close();
  }, [palette]);
  return (
    <dialog
      class="dialog palette"
      ref={dialog}
      aria-label={t.palette.label}
      // It comes late, when the palette may be open again.
      onClose={() => dialog.current?.open || app.palette(false)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        app.palette(false);
      }}
      onClick={(event) => event.target === dialog.current && app.palette(false)}
    >
      {palette && <Finder app={app} openGates={openGates} />}
    </dialog>
  );
}

function Finder({ app, openGates }: { app: App; openGates(): void }) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const { allocate, known, version, gates } = useParts(
    app,
    'allocate',
    'known',
    'version',
    'gates',
  );
  const { result: outline } = useAnswer<{ entries: OutlineEntry[] }>(app, 'outline');
  const all = useMemo(
    () => commands(app, openGates, outline?.entries ?? []),
    [outline, allocate, known, version, gates],
  );
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ kind, name }) => {
    const text = `${kind} ${name}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
  const shown = found.slice(0, most);
  const current = Math.min(at, shown.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    app.palette(false);
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      setAt((current + step + shown.length) % shown.length);
    } else if (event.key === 'Enter') {
      run(shown[current]);
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <>
      <input
        class="input palette-input"
        type="text"
        role="combobox"
        ref={input}
        aria-label={t.palette.find}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        {...(shown.length > 0 && { 'aria-activedescendant': `palette-${current}` })}
        placeholder={t.palette.placeholder}
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul class="palette-list" id="palette-list" role="listbox" aria-label={t.palette.label}>
        {shown.map((command, index) => (
          <li
            key={command.kind + command.name}
            id={`palette-${index}`}
            role="option"
            class="palette-item"
            aria-selected={index === current}
            onClick={() => run(command)}
          >
            <span class="kind">{command.kind}</span> {command.name}
          </li>
        ))}
      </ul>
      <p class="palette-note muted" role="status">
        {found.length === 0
          ? t.palette.nothing
          : found.length > shown.length
            ? t.palette.more(found.length - shown.length)
            : ''}
      </p>
    </>
  );
}

function commands(app: App, openGates: () => void, objects: readonly OutlineEntry[]): Command[] {
  const { known, gates, version, allocate } = app.state;
  const current = currentVersion(app.state);
  return [
    ...views.map(({ name }) => ({
      kind: t.palette.view,
      name: t.tabs.names[name],
      run: () => app.show(name),
    })),
    { kind: t.palette.view, name: t.tabs.names.text, run: () => app.focusText() },
    ...examples.map((example) => ({
      kind: t.palette.example,
      name: wordsOf(example).title,
      run: () => app.papers.openExample(example),
    })),
    ...(allocate ? subjects(allocate.result) : []).map(({ selected }) => ({
      kind: t.palette.why,
      name: `${t.kinds[selected.kind]} ${selected.name}`,
      run: () => {
        app.core.select(selected);
        app.show('why');
      },
    })),
    ...objects.flatMap(({ kind, name, at }): Command[] =>
      at ? [{ kind: t.palette.goTo, name: `${kind} ${name}`, run: () => app.goTo(at) }] : [],
    ),
    ...known.versions.map((one) => ({
      kind: t.palette.version,
      name: `Kubernetes ${one.version}`,
      run: () => app.choose(one.version, gates),
    })),
    { kind: t.palette.gates, name: t.palette.allGates, run: openGates },
    ...(current?.gates ?? [])
      .filter(({ locked }) => !locked)
      .map((gate) => ({
        kind: t.palette.gate,
        name: t.palette.turn(gate.name, !isOn(gates, gate)),
        run: () =>
          app.choose(version, setGate(gates, current!.gates, gate.name, !isOn(gates, gate))),
      })),
    { kind: t.palette.do, name: t.palette.share, run: () => void app.sharing.share() },
    { kind: t.palette.do, name: t.palette.colours, run: () => app.cycleTheme() },
    { kind: t.palette.do, name: t.palette.next, run: () => app.step(1) },
  ];
}
