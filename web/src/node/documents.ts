// Objects that a view adds to the text, and takes out again.

import type { PodDeviceHealth } from '../api';

export interface Place {
  from: number;
  to: number;
  insert: string;
}

type Device = Pick<PodDeviceHealth, 'driver' | 'pool' | 'device'>;

/** What a driver would report of a device to the kubelet of a node. */
export function report(device: Device, node: string, health: 'Healthy' | 'Unhealthy'): string {
  const name = `${device.device}-${health.toLowerCase()}`;
  return `apiVersion: drawbridge-dra.github.io/v1
kind: DeviceHealth
metadata:
  name: ${name}
spec:
  driver: ${word(device.driver)}
  nodeName: ${word(node)}
  devices:
  - pool: ${word(device.pool)}
    device: ${word(device.device)}
    health: ${health}
`;
}

/** The report that was added before, of either kind. */
export function added(text: string, device: Device, node: string): string | undefined {
  return (['Unhealthy', 'Healthy'] as const)
    .map((health) => report(device, node, health))
    .find((document) => text.includes(document));
}

/** Adds a document at the end of a text. */
export function append(text: string, document: string): Place {
  const end = text.length;
  const bare = text.trim() === '';
  const lead = (text === '' || text.endsWith('\n') ? '' : '\n') + (bare ? '' : '---\n');
  return { from: end, to: end, insert: lead + document };
}

/** Takes a document out of a text, with the line that parts it from the others. */
export function remove(text: string, document: string): Place | undefined {
  const from = text.lastIndexOf(document);
  if (from < 0) return undefined;
  const to = from + document.length;
  const line = '---\n';
  if (text.slice(0, from).endsWith(line)) return { from: from - line.length, to, insert: '' };
  return { from, to: text.startsWith(line, to) ? to + line.length : to, insert: '' };
}

/** A name as YAML takes it for a string, whatever it looks like. */
function word(name: string): string {
  const plain = /^[a-z][a-z0-9]*(?:[-./][a-z0-9]+)*$/i.test(name);
  return plain && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name)
    ? name
    : JSON.stringify(name);
}
