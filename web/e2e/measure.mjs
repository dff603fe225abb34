// How long the page's main thread was busy without a break. What counts is the
// processor time of a task: on a busy machine its time by the clock says more
// about the others than about the page.

/** The event that stands for a task in a trace, and its category. */
const task = 'RunTask';
const categories = ['disabled-by-default-devtools.timeline', 'devtools.timeline'];

/** A piece of work that is always the same, to tell how fast the processor is just now. */
export const known = 'the known piece of work';

/** The processor time of it, in ms, on the machine for which limits are written. */
const usual = 7;

function work() {
  const list = Array.from({ length: 12_000 }, (_, i) => ({ name: `n${i}`, at: [i, 2 * i] }));
  return JSON.parse(JSON.stringify(list)).length;
}

export class Tasks {
  turns = 0;
  /** For each name the longest task of each turn. */
  found = new Map();

  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
  }

  /** Starts to note tasks. */
  async start() {
    await this.browser.startTracing(this.page, { categories });
    await this.pace();
  }

  async pace() {
    for (let i = 0; i < 6; i++) await this.turn(known, () => this.page.evaluate(work), 0);
  }

  /** How many times slower than usual the processor was at its best; never less than 1. */
  get slowness() {
    return Math.max(1, this.found.get(known)[0].cpu / usual);
  }

  /** Does something once; what follows from it within a moment belongs to it. */
  async turn(name, act, moment = 300) {
    await this.mark(`begin ${this.turns} ${name}`);
    await act();
    await this.page.waitForTimeout(moment);
    await this.mark(`end ${this.turns++}`);
  }

  async mark(text) {
    await this.page.evaluate((message) => console.timeStamp(message), text);
  }

  /**
   * Stops, and adds for each name the longest task of each turn in ms, the
   * shortest first: { cpu, wall }.
   */
  async stop() {
    await this.pace();
    const { traceEvents: events } = JSON.parse(String(await this.browser.stopTracing()));
    const marks = events.filter(({ name }) => name === 'TimeStamp').sort((a, b) => a.ts - b.ts);
    const { pid, tid } = marks[0];
    const tasks = events.filter(
      (event) => event.name === task && event.ph === 'X' && event.pid === pid && event.tid === tid,
    );
    const { found } = this;
    for (const begin of marks) {
      const [, turn, name] = /^begin (\d+) (.*)$/.exec(begin.args.data.message) ?? [];
      if (turn === undefined) continue;
      const end = marks.find(({ args }) => args.data.message === `end ${turn}`);
      const within = tasks.filter(({ ts }) => ts > begin.ts && ts < end.ts);
      const longest = (time) => Math.max(0, ...within.map(time)) / 1000;
      const measured = {
        cpu: longest(({ tdur, dur }) => tdur ?? dur),
        wall: longest(({ dur }) => dur),
        tasks: within.length,
      };
      found.set(name, [...(found.get(name) ?? []), measured]);
    }
    for (const turns of found.values()) turns.sort((a, b) => a.cpu - b.cpu);
  }

  /** For each name the longest task of each turn, the shortest first. */
  get measured() {
    return [...this.found].filter(([name]) => name !== known);
  }
}

export function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}
