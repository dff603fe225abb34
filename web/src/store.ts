// Holds what the page shows, and tells whoever shows it of each change.

import { reduce, type Action, type State } from './state';

export class Store {
  private readonly watchers = new Set<() => void>();

  constructor(private current: State) {}

  get state(): State {
    return this.current;
  }

  dispatch(action: Action): void {
    const before = this.current;
    this.current = reduce(before, action);
    if (this.current !== before) for (const watcher of [...this.watchers]) watcher();
  }

  /** Calls the watcher after each change, until what it returns is called. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }
}

/** Whether one of these parts is another than before. */
export function differs(before: State, after: State, parts: readonly (keyof State)[]): boolean {
  return parts.some((part) => before[part] !== after[part]);
}
