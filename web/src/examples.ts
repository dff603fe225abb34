// The examples: YAML files whose leading comment says what they show.
//
//   # Title: one sentence.
//   # More words, for the reader of the text.
//   # Try: what to change.
//   # Gates: A=true, B=true
//   # Kubernetes: 1.36
//
// Under which heading they stand, the change to try and what comes of both is
// in promises.json, where the tests read it too. What the page says of them in
// another language stands in a file of that language; the texts stay English.

import promises from './examples/promises.json';
import zh from './examples/zh.json';
import { parseGates, type GateChoice } from './gates';
import type { Tab } from './state';
import { language, type Language } from './texts';

/** What the page says of an example. */
export interface Words {
  title: string;
  about: string;
  /** What to try. */
  tip: string;
  /** What comes of that. */
  then: string;
}

export interface Example extends Words {
  id: string;
  group: string;
  changes: Change[];
  /** The view that shows what it is about, if that is not the allocation. */
  view: Tab | undefined;
  gates: GateChoice;
  version: string;
  text: string;
}

/** Words that are in the text once, and what to put in their place. */
export interface Change {
  from: string;
  to: string;
}

type Promised = Pick<Example, 'group' | 'changes' | 'then'> & { view?: Tab };

const promised = promises as Record<string, Promised>;

const files = import.meta.glob<string>('./examples/*.yaml', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const examples: readonly Example[] = Object.keys(files)
  .sort()
  .map((path) => parseExample(path, files[path]!));

const translated: Partial<Record<Language, Record<string, Words>>> = { zh };

/** What the page says of an example, in the language in use. */
export function wordsOf(example: Example): Words {
  return translated[language]?.[example.id] ?? example;
}

/** Opened on the first visit: small, and it surprises. */
export const opening = examples.find(({ id }) => id === 'compatibility-groups')!;

/** The example that a text begins as, by its first line. */
export function exampleOf(line: string): Example | undefined {
  return line ? examples.find(({ text }) => text.startsWith(line + '\n')) : undefined;
}

/** The examples under their headings, in order. */
export function grouped(): [string, Example[]][] {
  const groups = new Map<string, Example[]>();
  for (const example of examples) {
    groups.set(example.group, [...(groups.get(example.group) ?? []), example]);
  }
  return [...groups];
}

/** Where a text must be changed; undefined where it is not the example's any more. */
export function placesOf(
  changes: readonly Change[],
  text: string,
): { from: number; to: number; insert: string }[] | undefined {
  const start = text.search(/^[^#]/m);
  const places = changes.map(({ from, to }) => {
    const at = text.indexOf(from, start);
    return at < 0 || text.includes(from, at + 1)
      ? undefined
      : { from: at, to: at + from.length, insert: to };
  });
  const found = places.filter((place) => place !== undefined);
  return start >= 0 && found.length === changes.length ? found : undefined;
}

export function parseExample(path: string, text: string): Example {
  const id = path.replace(/^.*\/(?:\d+-)?/, '').replace(/\.yaml$/, '');
  const header: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('#')) break;
    header.push(line.replace(/^#\s?/, ''));
  }
  const first = /^([^:]+):\s*(.+)$/.exec(header[0] ?? '');
  const tip = field(header, 'Try');
  if (!first || !tip) {
    throw new Error(`${path} must begin with "# Title: a sentence" and have a line "# Try: …"`);
  }
  const { group, changes, then, view }: Promised = promised[id] ?? {
    group: '',
    changes: [],
    then: '',
  };
  return {
    id,
    group,
    changes,
    then,
    view,
    title: first[1]!,
    about: first[2]!,
    tip,
    gates: parseGates(field(header, 'Gates')),
    version: field(header, 'Kubernetes'),
    text,
  };
}

function field(header: readonly string[], name: string): string {
  const line = header.find((text) => text.startsWith(name + ':'));
  return line ? line.slice(name.length + 1).trim() : '';
}
