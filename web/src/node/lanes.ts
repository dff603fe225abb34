// What happens to a pod on its node as a picture of lanes: one for each who
// acts, and a row for each step, the calls that are skipped included.

import type { ClaimOperations, NodeStep, PodOperations } from '../api';

export interface Lane {
  /** Who acts, as the core calls it; a driver by its own name. */
  name: string;
  driver: boolean;
}

export type Look = 'done' | 'stops' | 'never' | 'next' | 'skipped';

export interface Row {
  lane: number;
  /** The lane from which a call comes, if this is one. */
  from?: number;
  look: Look;
  step?: NodeStep;
  /** What is not called, where that is the row. */
  skipped?: { operation: string; claims: string[]; driver: string };
}

export interface Drawing {
  lanes: Lane[];
  rows: Row[];
}

const actors = ['API server', 'scheduler', 'resourceclaim controller', 'kubelet'];

const looks: Record<NodeStep['outcome'], Look> = {
  Done: 'done',
  Stops: 'stops',
  Never: 'never',
  Next: 'next',
};

/** The lanes and rows of a pod; only who has something to do has a lane. */
export function draw(pod: PodOperations): Drawing {
  const { steps = [], claims = [] } = pod;
  const drivers = driversOf(claims);
  const present = actors.filter(
    (actor) => actor === 'kubelet' || steps.some((step) => step.actor === actor),
  );
  const lanes = [
    ...present.map((name) => ({ name, driver: false })),
    ...drivers.map((name) => ({ name, driver: true })),
  ];
  const kubelet = present.indexOf('kubelet');
  const at = (driver: string) => present.length + drivers.indexOf(driver);
  const rows = steps.map((step): Row => {
    const look = looks[step.outcome];
    if (step.actor !== 'driver') return { lane: present.indexOf(step.actor), look, step };
    const driver = driverIn(step.message, drivers);
    return driver === undefined
      ? { lane: kubelet, look, step }
      : { lane: at(driver), from: kubelet, look, step };
  });
  const skips = (phase: 'prepare' | 'unprepare'): Row[] =>
    skippedIn(claims, phase).map(({ driver, claims: names }) => ({
      lane: at(driver),
      from: kubelet,
      look: 'skipped',
      skipped: {
        operation: phase === 'prepare' ? 'NodePrepareResources' : 'NodeUnprepareResources',
        claims: names,
        driver,
      },
    }));
  // What is not prepared stands before the containers start, what is not undone
  // before the controller gives the claims up.
  const next = rows.findIndex(({ look }) => look === 'next');
  const end = next < 0 ? rows.length : next;
  const stopped = rows.some(({ look }, index) => look === 'stops' && index < end);
  const started = stopped ? -1 : lastIndex(rows.slice(0, end), ({ lane }) => lane === kubelet);
  const undo = next < 0 ? -1 : releases(rows, next);
  const out: Row[] = [];
  rows.forEach((row, index) => {
    if (index === started) out.push(...skips('prepare'));
    if (index === undo) out.push(...skips('unprepare'));
    out.push(row);
  });
  return { lanes, rows: out };
}

/** Where the controller begins to give claims up, or the end. */
function releases(rows: readonly Row[], next: number): number {
  const found = rows.findIndex(
    ({ step }, index) => index >= next && step?.actor === 'resourceclaim controller',
  );
  return found < 0 ? rows.length - 1 : found;
}

function lastIndex<T>(list: readonly T[], wanted: (one: T) => boolean): number {
  for (let i = list.length - 1; i >= 0; i--) if (wanted(list[i]!)) return i;
  return -1;
}

/** The drivers of a pod's claims, each once, in the order in which they come. */
export function driversOf(claims: readonly ClaimOperations[]): string[] {
  return [...new Set(claims.flatMap(({ drivers = [] }) => drivers.map(({ driver }) => driver)))];
}

/** A driver's step begins with its name; of two that fit, the longer one is meant. */
function driverIn(message: string, drivers: readonly string[]): string | undefined {
  return drivers
    .filter((driver) => message.startsWith(`${driver} `))
    .sort((a, b) => b.length - a.length)[0];
}

function skippedIn(
  claims: readonly ClaimOperations[],
  phase: 'prepare' | 'unprepare',
): { driver: string; claims: string[] }[] {
  const found = new Map<string, string[]>();
  for (const { claim = '', drivers = [] } of claims) {
    for (const driver of drivers) {
      if (driver[phase] !== 'Skipped') continue;
      found.set(driver.driver, [...(found.get(driver.driver) ?? []), claim]);
    }
  }
  return [...found].map(([driver, names]) => ({ driver, claims: names }));
}

/** A number of pixels between two lanes, so that many of them have room on a phone. */
export function spacing(lanes: number): number {
  return Math.max(12, Math.min(24, Math.floor(144 / Math.max(1, lanes))));
}
