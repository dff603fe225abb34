// The examples: YAML files whose leading comment says what they show.
//
//   # Title: one sentence.
//   # More words, for the reader of the text.
//   # Try: what to change.
//   # Gates: A=true, B=true
//   # Kubernetes: 1.36

import { parseGates, type GateChoice } from './gates';

export interface Example {
  id: string;
  title: string;
  about: string;
  tip: string;
  gates: GateChoice;
  version: string;
  text: string;
}

const files = import.meta.glob<string>('./examples/*.yaml', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const examples: readonly Example[] = Object.keys(files)
  .sort()
  .map((path) => parseExample(path, files[path]!));

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
  return {
    id,
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
