// The texts that somebody works on, each with version and gates, kept in the
// browser alone. Storage can be missing, full or forbidden; then they live as
// long as the page. Other windows of the page write to the same storage, so
// nothing of the list is remembered between two changes.

import type { Shared } from './share';

export interface Buffer {
  id: string;
  name: string;
}

export interface Buffers {
  current: string;
  list: Buffer[];
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const indexKey = 'drawbridge.buffers';
/** The id of the first text, whose key is older than the list. */
const first = 'draft';
const largest = 2 << 20; // Browsers give about 5 MB to a site.

const keyOf = (id: string) => `drawbridge.${id}`;

export class Desk {
  /** Texts that could not be stored. */
  private readonly unstored = new Map<string, Shared>();
  private index: Buffers | undefined;
  /** The text that this window shows, whatever others do. */
  private current: string | undefined;

  constructor(
    private readonly store: Store | undefined,
    private readonly untitled: () => string,
  ) {}

  get buffers(): Buffers {
    const list = this.read();
    const current = list.list.some(({ id }) => id === this.current) ? this.current! : list.current;
    this.current = current;
    return { list: list.list, current };
  }

  /** The current text; undefined where none was kept. */
  load(): Shared | undefined {
    const { current } = this.buffers;
    return this.unstored.get(current) ?? parseShared(this.get(keyOf(current)));
  }

  /** Keeps the current text; false where there was no room for it. */
  save(state: Shared): boolean {
    const { current } = this.buffers;
    const stored = state.text.length <= largest && this.set(keyOf(current), JSON.stringify(state));
    if (stored) this.unstored.delete(current);
    else this.unstored.set(current, state);
    return stored;
  }

  /** Adds a text and makes it the current one. */
  add(name: string, state: Shared): boolean {
    const { list } = this.buffers;
    const id = freeId(list);
    this.write({
      list: [...list, { id, name: freeName(list, name || this.untitled()) }],
      current: id,
    });
    return this.save(state);
  }

  choose(id: string): void {
    const { list } = this.buffers;
    if (list.some((buffer) => buffer.id === id)) this.write({ list, current: id });
  }

  rename(name: string): void {
    const { list, current } = this.buffers;
    const others = list.filter(({ id }) => id !== current);
    const free = freeName(others, name.trim() || this.untitled());
    this.write({
      list: list.map((buffer) => (buffer.id === current ? { ...buffer, name: free } : buffer)),
      current,
    });
  }

  /** Removes the current text; the one beside it becomes current. */
  remove(): void {
    const { list, current } = this.buffers;
    if (list.length < 2) return;
    const at = list.findIndex(({ id }) => id === current);
    const left = list.filter(({ id }) => id !== current);
    this.unstored.delete(current);
    this.forget(keyOf(current));
    this.write({ list: left, current: left[Math.min(at, left.length - 1)]!.id });
  }

  private read(): Buffers {
    const stored = parseIndex(this.get(indexKey));
    return stored ?? this.index ?? { current: first, list: [{ id: first, name: this.untitled() }] };
  }

  private write(index: Buffers): void {
    this.index = index;
    this.current = index.current;
    this.set(indexKey, JSON.stringify(index));
  }

  private get(key: string): string | null {
    try {
      return this.store?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  private set(key: string, value: string): boolean {
    try {
      this.store?.setItem(key, value);
      return this.store !== undefined;
    } catch {
      return false;
    }
  }

  private forget(key: string): void {
    try {
      this.store?.removeItem(key);
    } catch {
      // What could not be stored need not be removed.
    }
  }
}

function freeId(list: readonly Buffer[]): string {
  const numbers = list.map(({ id }) => Number(/^draft-(\d+)$/.exec(id)?.[1] ?? 1));
  return `draft-${Math.max(1, ...numbers) + 1}`;
}

/** A name that no other text has. */
function freeName(list: readonly Buffer[], wanted: string): string {
  const taken = new Set(list.map(({ name }) => name));
  const short = wanted.slice(0, 120);
  if (!taken.has(short)) return short;
  const [, stem = short, ending = ''] = /^(.+?)(\.[a-z0-9]+)?$/i.exec(short) ?? [];
  for (let n = 2; ; n++) {
    const name = `${stem}-${n}${ending}`;
    if (!taken.has(name)) return name;
  }
}

function parseIndex(text: string | null): Buffers | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<Buffers> | null;
    const list = (value?.list ?? []).filter(
      ({ id, name }) => typeof name === 'string' && /^draft(-\d+)?$/.test(id),
    );
    if (list.length === 0) return undefined;
    const current = list.some(({ id }) => id === value?.current) ? value!.current! : list[0]!.id;
    return { list, current };
  } catch {
    return undefined;
  }
}

function parseShared(text: string | null): Shared | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<Shared> | null;
    if (typeof value?.text !== 'string') return undefined;
    return { text: value.text, version: value.version ?? '', gates: value.gates ?? '' };
  } catch {
    return undefined;
  }
}
