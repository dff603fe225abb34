// Feature gates as the page keeps them: only those that somebody has set.
// One that is set to its default is not the same as one that nobody has
// touched: where the text needs it, the core takes the latter as on.

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
 * Sets one gate. Gates that it needs are turned on with it, and those that
 * need it off: the API server does not start with a gate on whose needs are
 * off.
 */
export function setGate(
  choice: GateChoice,
  gates: readonly GateInfo[],
  name: string,
  on: boolean,
): GateChoice {
  const gate = gates.find((other) => other.name === name);
  if (!gate || gate.locked) return choice;
  let next: GateChoice = { ...choice, [name]: on };
  const also = gates.filter((other) =>
    on ? gate.needs.includes(other.name) : other.needs.includes(name),
  );
  for (const other of also) {
    if (isOn(next, other) !== on) next = setGate(next, gates, other.name, on);
  }
  return next;
}

/** Takes a gate back to nobody having set it; what depends on it follows. */
export function unsetGate(
  choice: GateChoice,
  gates: readonly GateInfo[],
  name: string,
): GateChoice {
  const gate = gates.find((other) => other.name === name);
  const { [name]: _, ...others } = gate ? setGate(choice, gates, name, gate.default) : choice;
  return others;
}

/** Tells whether a gate is on: as chosen, else by default; locked ones never change. */
export function isOn(choice: GateChoice, gate: GateInfo): boolean {
  return gate.locked ? gate.default : (choice[gate.name] ?? gate.default);
}

/**
 * The part of a choice that means something at a version: gates that do not
 * exist there or cannot change are left out, so that another version may be
 * looked at without clearing the choice.
 */
export function applicable(choice: GateChoice, gates: readonly GateInfo[]): GateChoice {
  const kept: Record<string, boolean> = {};
  for (const gate of gates) {
    const on = choice[gate.name];
    if (on !== undefined && !gate.locked) kept[gate.name] = on;
  }
  return kept;
}
