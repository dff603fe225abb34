// A long answer goes from the worker to the page in parts. The page would stand
// still while it takes in all at once; between parts it can do something else.

/** Items that belong at the end of an array of the answer. */
export interface Part {
  /** The way to the array, from the answer inwards. */
  path: readonly (string | number)[];
  items: unknown[];
}

export interface Cut {
  /** The answer, with arrays left empty whose items are in the parts. */
  head: unknown;
  parts: Part[];
}

/** The values that one part may hold: a few milliseconds of work to take in. */
const mostValues = 4000;

/** Cuts an answer into parts, in the order in which they are put together. */
export function cut(answer: unknown, most = mostValues): Cut {
  const parts: Part[] = [];
  return { head: empty(answer, [], parts, most), parts };
}

/** Puts an answer together; the head becomes the answer. */
export function join(head: unknown, parts: readonly Part[]): unknown {
  for (const { path, items } of parts) {
    let at = head as Record<string | number, unknown>;
    for (const step of path) at = at[step] as typeof at;
    const list = at as unknown as unknown[];
    for (const item of items) list.push(item);
  }
  return head;
}

/** What is left of a value when what is too much of it has been put into parts. */
function empty(value: unknown, path: Part['path'], parts: Part[], most: number): unknown {
  if (typeof value !== 'object' || value === null || weigh(value) <= most) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, held]) => [key, empty(held, [...path, key], parts, most)]),
    );
  }
  let run: unknown[] = [];
  let weight = 0;
  const pass = () => {
    if (run.length > 0) parts.push({ path, items: run });
    run = [];
    weight = 0;
  };
  value.forEach((item, index) => {
    const own = weigh(item);
    if (weight + own > most) pass();
    if (own <= most) {
      run.push(item);
      weight += own;
      return;
    }
    const inner: Part[] = [];
    parts.push({ path, items: [empty(item, [...path, index], inner, most)] }, ...inner);
  });
  pass();
  return [];
}

/** How many values there are in a value, long strings counting for several. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 256;
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const held of Array.isArray(value) ? value : Object.values(value)) sum += weigh(held);
  return sum;
}
