// What is on the screen as a command for a terminal, and answers as YAML.

import type { Options } from './api';

/** Where a server listens when nobody says otherwise. */
const server = 'http://127.0.0.1:8080';

/** A text as the standard input of a command, whatever lines it has. */
function hereDocument(text: string): { opening: string; body: string } {
  let word = 'BUNDLE';
  const lines = text.split('\n');
  while (lines.includes(word)) word += '_';
  const body = text.endsWith('\n') ? text : text + '\n';
  return { opening: `<<'${word}'`, body: `${body}${word}\n` };
}

/** Asks a server the same. */
export function asCurl(operation: string, text: string, options: object): string {
  const query = new URLSearchParams(
    Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const { opening, body } = hereDocument(text);
  const url = `${server}/v1/${operation}${query && `?${query}`}`;
  return `curl -sS -H 'Content-Type: application/yaml' --data-binary @- '${url}' ${opening}\n${body}`;
}

/** Asks a cluster whether it would take the objects; nothing is stored. */
export function asKubectl(text: string): string {
  const { opening, body } = hereDocument(text);
  return `kubectl apply --dry-run=server -f - ${opening}\n${body}`;
}

/** Asks a server about what is in a cluster now. */
export function ofCluster(operation: string, options: Options): string {
  const kinds =
    'nodes,pods,resourceslices,deviceclasses,resourceclaims,resourceclaimtemplates,devicetaintrules';
  const query = new URLSearchParams(options as Record<string, string>).toString();
  const url = `${server}/v1/${operation}${query && `?${query}`}`;
  return `kubectl get ${kinds} -A -o json |\n  curl -sS -H 'Content-Type: application/json' --data-binary @- '${url}'\n`;
}

/**
 * Writes JSON as YAML without reading its numbers: those beyond what
 * JavaScript can hold stay as they were written.
 */
export function yamlOf(json: string): string {
  const tokens = [...json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)].map(
    ([token]) => token,
  );
  let at = 0;
  const out: string[] = [];

  // Writes the value that comes next; head is what stands before it on its line.
  const value = (head: string, indent: string): void => {
    const open = tokens[at++];
    if (open !== '{' && open !== '[') {
      out.push(head + scalar(open ?? ''));
      return;
    }
    const close = open === '{' ? '}' : ']';
    if (tokens[at] === close) {
      at++;
      out.push(head + open + close);
      return;
    }
    // The first entry of a list item stands on the line of its dash.
    const inItem = head.endsWith('- ');
    if (!inItem && head !== '') out.push(head.trimEnd());
    let first = true;
    while (tokens[at] !== close && at < tokens.length) {
      const lead = inItem && first ? head : indent;
      first = false;
      if (open === '{') {
        const key = scalar(tokens[at++] ?? '');
        at++; // the colon
        const nested = tokens[at] === '[' ? indent : indent + '  ';
        value(`${lead}${key}: `, nested);
      } else {
        value(`${lead}- `, indent + '  ');
      }
      if (tokens[at] === ',') at++;
    }
    at++;
  };

  if (tokens.length > 0) value('', '');
  return out.join('\n') + '\n';
}

/** A string without quotes where YAML reads it as the same string; else as in JSON. */
function scalar(token: string): string {
  const plain = /^"([A-Za-z_][A-Za-z0-9_./-]*)"$/.exec(token)?.[1];
  if (plain === undefined) return token;
  return /^(?:y|n|yes|no|on|off|true|false|null)$/i.test(plain) ? token : plain;
}
