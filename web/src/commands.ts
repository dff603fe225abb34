// What is on the screen as a command for a terminal.

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
