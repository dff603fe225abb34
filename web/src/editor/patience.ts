// CodeMirror reads a text ahead in spare time, for 100 ms at a stretch where
// the browser can tell that somebody types meanwhile. So long a stretch holds up
// everything else, so here it ends after a few milliseconds. This file has to come
// before CodeMirror, which looks for the question once, when it is loaded.

/** How long a stretch may be, in milliseconds. */
const stretch = 12;

interface Scheduling {
  isInputPending?: () => boolean;
}

/** Asks what the browser says; says yes anyway to who has asked for a stretch without a break. */
export function impatient(pending: () => boolean, now: () => number): () => boolean {
  let began: number | undefined;
  return () => {
    if (began === undefined) {
      began = now();
      // Runs when what asks has returned: then its stretch is over.
      queueMicrotask(() => (began = undefined));
    }
    return now() - began > stretch || pending();
  };
}

const { scheduling } = (globalThis.navigator ?? {}) as Navigator & { scheduling?: Scheduling };
if (scheduling?.isInputPending) {
  const isInputPending = impatient(
    () => scheduling.isInputPending!(),
    () => performance.now(),
  );
  Object.defineProperty(navigator, 'scheduling', { configurable: true, value: { isInputPending } });
}
