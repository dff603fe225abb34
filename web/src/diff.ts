// What is different between two texts, line by line.

export interface Line {
  /** In both texts, in the first only, or in the second only. */
  side: 'both' | 'before' | 'after';
  text: string;
}

/** More lines than this are not compared one by one. */
const most = 3000;

/** The lines of both texts in order; what is gone stands before what came. */
export function diffLines(before: string, after: string): Line[] {
  const a = lines(before);
  const b = lines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const out: Line[] = a.slice(0, start).map((text) => ({ side: 'both', text }));
  out.push(...middle(a.slice(start, endA), b.slice(start, endB)));
  out.push(...a.slice(endA).map((text): Line => ({ side: 'both', text })));
  return out;
}

function lines(text: string): string[] {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all;
}

/** The longest lines in common, by the table of all beginnings. */
function middle(a: string[], b: string[]): Line[] {
  const gone = (text: string): Line => ({ side: 'before', text });
  const came = (text: string): Line => ({ side: 'after', text });
  if (a.length * b.length > most * most) return [...a.map(gone), ...b.map(came)];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ side: 'both', text: a[i]! });
      i++;
      j++;
    } else if (
      i < a.length &&
      (j === b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      out.push(gone(a[i++]!));
    } else {
      out.push(came(b[j++]!));
    }
  }
  return out;
}

/** Folds what is the same in both, but for some lines around what differs. */
export function fold(all: readonly Line[], around = 3): (Line | { skipped: number })[] {
  const near = new Set<number>();
  all.forEach(({ side }, index) => {
    if (side === 'both') return;
    for (let i = index - around; i <= index + around; i++) near.add(i);
  });
  const out: (Line | { skipped: number })[] = [];
  for (let i = 0; i < all.length;) {
    if (near.has(i)) {
      out.push(all[i++]!);
      continue;
    }
    let end = i;
    while (end < all.length && !near.has(end)) end++;
    // One line takes as much room as to say that it is missing.
    if (end - i === 1) out.push(all[i]!);
    else out.push({ skipped: end - i });
    i = end;
  }
  return out;
}
