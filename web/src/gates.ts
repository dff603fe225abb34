// Feature gates as the page keeps them: only what differs from the default.

import type { GateInfo } from './api';

export type GateChoice = Readonly<Record<string, boolean>>;

/** Writes a choice in the form of the API server's flag, sorted by name. */
export function formatGates(choice: GateChoice): string {
  return Object.keys(choice)
    .sort()
    .map((name) => `${name}=${choice[name]}`)
    .join(',');
}

/** Reads what formatGates writes; what it cannot read is left out. */
export function parseGates(text: string): GateChoice {
  const choice: Record<string, boolean> = {};
  for (const part of text.split(',')) {
    const match = /^\s*([A-Za-z][A-Za-z0-9]*)=(true|false)\s*$/.exec(part);
    if (match) choice[match[1]!] = match[2] === 'true';
  }
  return choice;
}

/**
 * Sets one gate, and forgets it where that is its default. Gates that it
 * needs are turned on with it, and those that need it off: the API server
 * does not start with a gate on whose needs are off.
 */
export function setGate(
  choice: GateChoice,
  gates: readonly GateInfo[],
  name: string,
  on: boolean,
): GateChoice {
  const gate = gates.find((other) => other.name === name);
  if (!gate || gate.locked || isOn(choice, gate) === on) return choice;
  const { [name]: _, ...others } = choice;
  let next: GateChoice = on === gate.default ? others : { ...others, [name]: on };
  const also = on ? gate.needs : gates.filter((g) => g.needs.includes(name)).map((g) => g.name);
  for (const other of also) next = setGate(next, gates, other, on);
  return next;
}

/** Tells whether a gate is on: as chosen, else by default; locked ones never change. */
export function isOn(choice: GateChoice, gate: GateInfo): boolean {
  return gate.locked ? gate.default : (choice[gate.name] ?? gate.default);
}

/**
 * The part of a choice that means something at a version: gates that do not
 * exist there, cannot change, or have that value anyway are left out, so that
 * another version may be looked at without clearing the choice.
 */
export function applicable(choice: GateChoice, gates: readonly GateInfo[]): GateChoice {
  const kept: Record<string, boolean> = {};
  for (const gate of gates) {
    const on = choice[gate.name];
    if (on !== undefined && !gate.locked && on !== gate.default) kept[gate.name] = on;
  }
  return kept;
}
