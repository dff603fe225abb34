// What the views Node, Rights and Classic have in common.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { App } from '../app';
import { append } from '../node/documents';
import { words } from '../texts/beyond';
import { Copy } from './icons';

/** A part that is worked out only once it is opened; it stays open while the view is there. */
export function Section({
  name,
  title,
  children,
}: {
  name: string;
  title: string;
  children: () => ComponentChildren;
}) {
  const [open, setOpen] = useState(opened.has(name));
  return (
    <details
      class="part-of-view"
      data-part={name}
      open={open}
      onToggle={(event) => {
        const { open: now } = event.currentTarget;
        if (now) opened.add(name);
        else opened.delete(name);
        setOpen(now);
      }}
    >
      <summary>
        <h2>{title}</h2>
      </summary>
      {open && <div class="part-body">{children()}</div>}
    </details>
  );
}

/** The parts that are open, for when the view is shown again. */
const opened = new Set<string>();

/** A text that can be taken along, and put into the one on the screen. */
export function Taken({
  app,
  text,
  label,
  insertable,
}: {
  app: App;
  text: string;
  label: string;
  insertable?: boolean;
}) {
  const w = words();
  return (
    <div class="taken">
      <pre tabIndex={0} aria-label={label}>
        {text.length > mostShown ? text.slice(0, mostShown) + '…' : text}
      </pre>
      <p class="taken-tools">
        <button
          type="button"
          class="button small"
          aria-label={w.copyWhat(label)}
          onClick={() => void app.sharing.copy(text)}
        >
          <Copy />
          {w.copy}
        </button>
        {insertable && <Insert app={app} document={text} />}
      </p>
    </div>
  );
}

/** More of a text than this is not drawn; it is copied whole. */
const mostShown = 20_000;

export function Insert({ app, document }: { app: App; document: string }) {
  const w = words();
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        app.change([append(app.text, document)]);
        app.notify('good', w.inserted);
      }}
    >
      {w.insert}
    </button>
  );
}

export function Assumptions({ list }: { list: readonly string[] }) {
  if (list.length === 0) return null;
  return (
    <section class="assumptions">
      <h2 class="group-title">{words().assumed}</h2>
      <ul>
        {list.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
