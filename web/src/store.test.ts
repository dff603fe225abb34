import { describe, expect, it, vi } from 'vitest';
import { initial } from './state';
import { differs, Store } from './store';

describe('the store', () => {
  it('tells of changes, until told not to', () => {
    const store = new Store(initial);
    const watcher = vi.fn();
    const stop = store.watch(watcher);
    store.dispatch({ kind: 'filter', filter: 'gpu' });
    expect(store.state.filter).toBe('gpu');
    expect(watcher).toHaveBeenCalledTimes(1);
    stop();
    store.dispatch({ kind: 'filter', filter: '' });
    expect(watcher).toHaveBeenCalledTimes(1);
  });

  it('says nothing where nothing has changed', () => {
    const store = new Store({ ...initial, line: 3 });
    const watcher = vi.fn();
    store.watch(watcher);
    store.dispatch({ kind: 'line', line: 3 });
    store.dispatch({ kind: 'unnotice', id: 7 });
    expect(watcher).not.toHaveBeenCalled();
  });

  it('knows which parts are others', () => {
    const after = { ...initial, line: 3 };
    expect(differs(initial, after, ['filter', 'line'])).toBe(true);
    expect(differs(initial, after, ['filter', 'validate'])).toBe(false);
  });
});
