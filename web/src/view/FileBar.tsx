import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { App } from '../app';
import { chosen } from '../files';
import { t } from '../texts';
import { Chevron, Close, FileOpen, FileSave, Pencil, Plus } from './icons';
import { useParts } from './parts';

/** Which of several texts is in the editor, and what can be done with it. */
export function FileBar({ app }: { app: App }) {
  const [naming, setNaming] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      const act = { s: () => app.papers.save(), o: () => input.current?.click() }[event.key];
      if (!act || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, [app]);
  useParts(app, 'desk');
  const { list, current } = app.papers.list;
  const name = list.find(({ id }) => id === current)!.name;
  return (
    <div class="file-bar" role="group" aria-label={t.files.label}>
      {naming ? (
        <Name
          name={name}
          done={(wanted) => {
            if (wanted !== undefined) app.papers.rename(wanted);
            setNaming(false);
          }}
        />
      ) : (
        <span class="select">
          <select
            aria-label={t.files.current}
            value={current}
            onChange={(event) => app.papers.choose(event.currentTarget.value)}
          >
            {list.map((buffer) => (
              <option key={buffer.id} value={buffer.id}>
                {buffer.name}
              </option>
            ))}
          </select>
          <Chevron />
        </span>
      )}
      <Tool label={t.files.rename} act={() => setNaming(true)} icon={<Pencil />} />
      <Tool label={t.files.add} act={() => app.papers.add('', '')} icon={<Plus />} />
      <Tool
        label={t.files.open}
        act={() => input.current?.click()}
        icon={<FileOpen />}
        keys="Control+O"
      />
      <Tool
        label={t.files.save}
        act={() => app.papers.save()}
        icon={<FileSave />}
        keys="Control+S"
      />
      {list.length > 1 && (
        <Tool label={t.files.remove} act={() => app.papers.remove()} icon={<Close />} />
      )}
      <input
        ref={input}
        id="open-files"
        type="file"
        multiple
        hidden
        accept=".yaml,.yml,.json"
        onChange={(event) => {
          const files = chosen(event.currentTarget.files!);
          event.currentTarget.value = ''; // the same file again is a change too
          void app.papers.open(async () => files);
        }}
      />
    </div>
  );
}

interface ToolProps {
  label: string;
  act(): void;
  icon: ComponentChildren;
  keys?: string;
}

function Tool({ label, act, icon, keys }: ToolProps) {
  return (
    <button
      type="button"
      class="button square quiet"
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      aria-keyshortcuts={keys}
      onClick={act}
    >
      {icon}
    </button>
  );
}

function Name({ name, done }: { name: string; done(wanted?: string): void }) {
  const finished = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  // Before anything is painted: who types on at once would lose letters.
  useLayoutEffect(() => {
    field.current!.focus();
    field.current!.select();
  }, []);
  // Once: taking the field away makes it lose the focus, while it is drawn.
  const finish = (wanted?: string) => {
    if (finished.current) return;
    finished.current = true;
    done(wanted);
  };
  return (
    <input
      class="text-name"
      aria-label={t.files.name}
      defaultValue={name}
      maxLength={120}
      ref={field}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(event.currentTarget.value);
        else if (event.key === 'Escape') finish();
        else return;
        event.stopPropagation();
      }}
    />
  );
}
