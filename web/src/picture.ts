// What is drawn of the core's picture, apart from any markup: cards of nodes
// that look alike, devices with the mark of who holds them, and for a chosen
// pod the word for why each device is not for it.

import { claimName } from './answers';
import { list } from './format';
import { t, type Texts } from './texts';
import type {
  AllocateResult,
  Location,
  NodeResult,
  Picture,
  PictureDevice,
  PictureNode,
  PicturePool,
} from './api';

/** The short words for the rules that refuse a device. */
const words: Record<string, keyof Texts['picture']['words']> = {
  'class-selector': 'selector',
  'request-selector': 'selector',
  'node-selection': 'otherNode',
  'binding-conditions-off': 'binding',
  'in-use': 'inUse',
  picked: 'picked',
  'capacity-missing': 'capacity',
  'capacity-policy': 'policy',
  capacity: 'capacity',
  'skip-node-operations': 'skips',
  'partitionable-devices-off': 'counters',
  counters: 'counters',
  'compatibility-groups': 'group',
  taint: 'taint',
  'match-attribute': 'match',
  'distinct-attribute': 'distinct',
};

export function wordFor(code: string): string {
  const word = words[code];
  return word ? t.picture.words[word] : code;
}

export interface Refusal {
  code: string;
  message: string;
  location?: Location;
}

/** Why devices are not for a pod or claim, by device. */
export type Refusals = ReadonlyMap<string, Refusal>;

export function deviceId(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}

/**
 * The refusal that counts for each device: of several requests and nodes the
 * first that names it, but "for other nodes" only where nothing else is said.
 */
export function refusalsOf(nodes: readonly NodeResult[]): Refusals {
  const found = new Map<string, Refusal>();
  for (const { reasons = [] } of nodes) {
    for (const { devices = [] } of reasons) {
      for (const { driver, pool, device, ...refusal } of devices) {
        const id = deviceId(driver, pool, device);
        const known = found.get(id);
        if (!known || (known.code === 'node-selection' && refusal.code !== known.code)) {
          found.set(id, refusal);
        }
      }
    }
  }
  return found;
}

/** The mark of a claim: its number, and whether it had its devices before. */
export interface Holding {
  mark: number;
  before: boolean;
}

export function holdings(result: AllocateResult): ReadonlyMap<string, Holding> {
  return new Map(
    result.claims.map((claim, mark) => [
      claimName(claim),
      { mark, before: claim.outcome === 'AlreadyAllocated' },
    ]),
  );
}

/** A picture with what is looked up in it again and again. */
export interface Drawing {
  picture: Picture;
  own: ReadonlyMap<string, readonly PicturePool[]>;
  /** Pools that are for several nodes. */
  shared: readonly PicturePool[];
  byId: ReadonlyMap<string, PictureDevice>;
  /** Devices with a place in the text, in its order. */
  placed: readonly { id: string; location: Location }[];
}

export function drawing(picture: Picture): Drawing {
  const own = new Map<string, PicturePool[]>();
  const shared: PicturePool[] = [];
  const byId = new Map<string, PictureDevice>();
  const placed: { id: string; location: Location }[] = [];
  const known = new Set(picture.nodes.map(({ name }) => name));
  for (const pool of picture.pools) {
    if (pool.node !== undefined && known.has(pool.node)) {
      const list = own.get(pool.node);
      if (list) list.push(pool);
      else own.set(pool.node, [pool]);
    } else {
      shared.push(pool);
    }
    for (const device of pool.devices) {
      const id = deviceId(pool.driver, pool.name, device.name);
      byId.set(id, device);
      if (device.location) placed.push({ id, location: device.location });
    }
  }
  placed.sort((a, b) => a.location.line - b.location.line || a.location.column - b.location.column);
  return { picture, own, shared, byId, placed };
}

/** The device whose lines hold a line of the text; lineAt reads the text. */
export function deviceAt(
  { placed }: Drawing,
  line: number,
  lineAt: (line: number) => string,
): string | undefined {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle]!.location.line <= line) low = middle + 1;
    else high = middle;
  }
  const found = placed[low - 1];
  if (!found) return undefined;
  const { location } = found;
  if (line - location.line > longestDevice) return undefined;
  for (let i = location.line + 1; i <= line; i++) {
    const text = lineAt(i);
    if (text.trim() !== '' && text.search(/\S/) < location.column - 1) return undefined;
  }
  return found.id;
}

const longestDevice = 500;

/** The device on whose lines the cursor is, if it is one of the pool's. */
export function currentIn({ driver, name }: PicturePool, current?: string): string | undefined {
  return current?.startsWith(deviceId(driver, name, '')) ? current : undefined;
}

/** Nodes that look alike, drawn as one. */
export interface Card {
  key: string;
  nodes: readonly PictureNode[];
}

/**
 * Puts nodes together that look alike: in their pools and, for a chosen pod,
 * in what is said of them.
 */
export function cards(
  drawn: Drawing,
  nodes: readonly PictureNode[],
  tried: readonly NodeResult[],
): Card[] {
  const said = new Map(tried.map((node) => [node.name, whatIsSaid(node)]));
  const groups = new Map<string, { key: string; nodes: PictureNode[] }>();
  for (const node of nodes) {
    const empty = !drawn.own.has(node.name);
    const key = `${empty ? '' : (node.like ?? node.name)}\n${said.get(node.name) ?? ''}`;
    const group = groups.get(key);
    if (group) group.nodes.push(node);
    else groups.set(key, { key, nodes: [node] });
  }
  return [...groups.values()];
}

function whatIsSaid({ fits, reasons = [] }: NodeResult): string {
  const parts = reasons.map(
    ({ code, devices = [] }) => code + ':' + devices.map((device) => device.code).join(),
  );
  return `${fits} ${parts.join(' ')}`;
}

/** The nodes that have something to do with the words that are searched for. */
export function search(
  drawn: Drawing,
  words: string,
  refusals: Refusals,
): { nodes: readonly PictureNode[]; shared: readonly PicturePool[] } {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return { nodes: drawn.picture.nodes, shared: drawn.shared };
  const has = (text: string) => text.toLowerCase().includes(wanted);
  const inPool = (pool: PicturePool) =>
    has(pool.name) ||
    has(pool.driver) ||
    pool.devices.some((device) => {
      const refusal = refusals.get(deviceId(pool.driver, pool.name, device.name));
      return (
        has(device.name) ||
        device.holders?.some(({ claim }) => has(claim)) ||
        device.taints?.some(({ taint }) => has(taint)) ||
        (refusal !== undefined && has(wordFor(refusal.code)))
      );
    });
  return {
    nodes: drawn.picture.nodes.filter(
      ({ name }) => has(name) || (drawn.own.get(name) ?? []).some(inPool),
    ),
    shared: drawn.shared.filter(inPool),
  };
}

/** What a device looks like. */
export type DeviceLook = 'free' | 'held' | 'before' | 'refused';

export interface Cell {
  id: string;
  device: PictureDevice;
  look: DeviceLook;
  marks: number[];
  word: string;
  /** All of it in words. */
  text: string;
  /** What of it the tile does not show. */
  unseen: string;
}

export function cell(
  pool: PicturePool,
  device: PictureDevice,
  held: ReadonlyMap<string, Holding>,
  refusals: Refusals,
): Cell {
  const id = deviceId(pool.driver, pool.name, device.name);
  const holders = device.holders ?? [];
  const takers = holders.filter(({ admin }) => !admin);
  const refusal = refusals.get(id);
  const before = takers.length > 0 && takers.every(({ claim }) => held.get(claim)?.before ?? true);
  const marks = holders.flatMap(({ claim }) => held.get(claim)?.mark ?? []);
  const who = holders.map(({ claim, admin }) => (admin ? t.picture.administrator(claim) : claim));
  const seen = refusal ? `${device.name} ${wordFor(refusal.code)}` : device.name;
  const parts = [seen, who.length > 0 ? t.picture.heldBy(list(who)) : t.picture.free];
  if (refusal) parts.push(refusal.message);
  if (device.location) parts.push(t.line(device.location.line));
  return {
    id,
    device,
    marks,
    look: refusal ? 'refused' : takers.length === 0 ? 'free' : before ? 'before' : 'held',
    word: refusal ? wordFor(refusal.code) : '',
    text: parts.join(', '),
    unseen: parts.slice(1).join(', '),
  };
}
