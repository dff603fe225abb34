// The texts that somebody works on: which is in the editor, where others come
// from, and how they are kept.

import type { App } from './app';
import { Desk, type Buffers } from './buffers';
import { storage } from './draft';
import { embedded } from './embed';
import { opening, type Example } from './examples';
import { download, FilesError, join, type Found } from './files';
import { formatGates, parseGates } from './gates';
import { forgetLink, type Shared } from './share';
import type { Tab } from './state';
import { t } from './texts';

/** How long keeping a text may wait for a moment with nothing else to do. */
const keepWithin = 2000;

/** Views that have nothing to say of most examples. */
const beyond: ReadonlySet<Tab> = new Set<Tab>(['node', 'rights', 'classic']);

export class Papers {
  private readonly desk = new Desk(embedded ? undefined : storage(), () => t.files.untitled);
  /** It was said already that there is no room to keep the text. */
  private full = false;
  private keeping: (() => void) | undefined;

  constructor(private readonly app: App) {}

  /** All texts, and which is the current one. */
  get list(): Buffers {
    return this.desk.buffers;
  }

  /** The text of the last visit; of a first one, the example that surprises. */
  last(): Shared {
    const gates = formatGates(opening.gates);
    return this.desk.load() ?? { text: opening.text, version: '', gates };
  }

  /** Keeps the current text; says once if there is no room for it. */
  keep(): void {
    this.keeping?.();
    if (embedded) return;
    const full = !this.desk.save(this.app.shared());
    if (full && !this.full) this.app.notify('bad', t.files.full);
    this.full = full;
  }

  /** Keeps the current text when there is nothing else to do: a long one takes its time. */
  keepSoon(): void {
    if (this.keeping) return;
    const keep = () => this.keep();
    const cancel =
      'requestIdleCallback' in globalThis
        ? cancelIdleCallback.bind(globalThis, requestIdleCallback(keep, { timeout: keepWithin }))
        : clearTimeout.bind(globalThis, setTimeout(keep, 100));
    this.keeping = () => {
      this.keeping = undefined;
      cancel();
    };
  }

  /** Shows the text that is the current one by now. */
  private turn(): void {
    forgetLink();
    const { text, version, gates } = this.desk.load() ?? { text: '', version: '', gates: '' };
    this.app.load(text);
    this.changed();
    this.app.use(version, parseGates(gates));
  }

  private changed(): void {
    this.app.store.dispatch({ kind: 'desk' });
  }

  choose(id: string): void {
    this.keep();
    this.desk.choose(id);
    this.turn();
  }

  /** Opens a text beside those that are there. */
  add(name: string, text: string): void {
    this.keep();
    this.desk.add(name, { ...this.app.shared(), text });
    this.turn();
    this.app.focusText();
  }

  rename(name: string): void {
    this.desk.rename(name);
    this.changed();
  }

  remove(): void {
    if (this.app.text.trim() && !confirm(t.files.sure(this.name))) return;
    const { name } = this;
    this.keeping?.();
    this.desk.remove();
    this.turn();
    this.app.notify('good', t.files.removed(name));
  }

  /** Makes one text of files; get may take its time to find them. */
  async open(get: () => Promise<readonly Found[]>): Promise<void> {
    try {
      const opened = await join(await get());
      this.add(opened.name, opened.text);
      this.app.notify('good', t.files.opened(opened.files));
    } catch (error) {
      if (!(error instanceof FilesError)) throw error;
      this.app.notify('bad', error.message);
    }
  }

  /** Saves the current text as a file. */
  save(): void {
    const { name } = this;
    download(/\.[a-z0-9]+$/i.test(name) ? name : `${name}.yaml`, this.app.text);
  }

  openExample(example: Example): void {
    const { core } = this.app;
    core.compareWith(undefined);
    core.select(undefined);
    this.app.retext(example.text);
    this.app.choose(example.version, example.gates);
    // Where it is narrow the text comes first.
    const { narrow, tab } = this.app.state;
    const view = example.view ?? (beyond.has(tab) ? 'allocation' : undefined);
    if (view && !narrow) this.app.show(view);
    this.app.focus();
  }

  private get name(): string {
    const { list, current } = this.list;
    return list.find(({ id }) => id === current)!.name;
  }
}
