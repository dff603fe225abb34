import { beforeEach, describe, expect, it } from 'vitest';
import { Desk } from './buffers';

const state = (text: string) => ({ text, version: '', gates: '' });

class Memory {
  readonly map = new Map<string, string>();
  room = Infinity;
  getItem(key: string) {
    return this.map.get(key) ?? null;
  }
  setItem(key: string, value: string) {
    if (value.length > this.room) throw new Error('full');
    this.map.set(key, value);
  }
  removeItem(key: string) {
    this.map.delete(key);
  }
}

describe('texts in the browser', () => {
  let memory: Memory;
  const desk = () => new Desk(memory, () => 'bundle.yaml');
  const names = (from: Desk) => from.buffers.list.map(({ name }) => name);

  beforeEach(() => {
    memory = new Memory();
  });

  it('begin with one, which may have been kept before there were several', () => {
    expect(desk().load()).toBeUndefined();
    memory.setItem('drawbridge.draft', JSON.stringify({ text: 'old' }));
    expect(desk().load()).toEqual(state('old'));
    expect(names(desk())).toEqual(['bundle.yaml']);
  });
  it('are several, each with its own words, after the page is gone too', () => {
    const one = desk();
    one.save(state('one'));
    one.add('two.yaml', state('two'));
    one.add('two.yaml', state('three'));
    const later = desk();
    expect(names(later)).toEqual(['bundle.yaml', 'two.yaml', 'two-2.yaml']);
    expect(later.load()).toEqual(state('three'));
    later.choose('draft');
    expect(later.load()).toEqual(state('one'));
    later.rename('two.yaml');
    expect(names(later)).toEqual(['two-3.yaml', 'two.yaml', 'two-2.yaml']);
    later.rename('  ');
    expect(names(later)[0]).toBe('bundle.yaml');
  });
  it('can be removed, but for the last one', () => {
    const one = desk();
    one.save(state('one'));
    one.add('', state('two'));
    expect(names(one)).toEqual(['bundle.yaml', 'bundle-2.yaml']);
    one.remove();
    expect(one.load()).toEqual(state('one'));
    one.remove();
    expect(names(one)).toEqual(['bundle.yaml']);
    expect([...memory.map.keys()].filter((key) => key.startsWith('drawbridge.draft'))).toEqual([
      'drawbridge.draft',
    ]);
  });
  it('are not mixed up by two windows', () => {
    const one = desk();
    one.save(state('one'));
    const other = desk();
    other.add('other.yaml', state('other'));
    one.save(state('one, longer'));
    one.add('mine.yaml', state('mine'));
    expect(names(other)).toEqual(['bundle.yaml', 'other.yaml', 'mine.yaml']);
    expect(other.load()).toEqual(state('other'));
    expect(desk().load()).toEqual(state('mine'));
  });
  it('live on while the page does, where there is no room', () => {
    memory.room = 100;
    const one = desk();
    expect(one.save(state('x'.repeat(200)))).toBe(false);
    expect(one.load()?.text).toHaveLength(200);
    expect(one.save(state('x'))).toBe(true);
    const nowhere = new Desk(undefined, () => 'bundle.yaml');
    nowhere.save(state('one'));
    nowhere.add('two.yaml', state('two'));
    expect(names(nowhere)).toEqual(['bundle.yaml', 'two.yaml']);
    nowhere.choose('draft');
    expect(nowhere.load()).toEqual(state('one'));
  });
  it('bear nonsense in the storage', () => {
    memory.setItem('drawbridge.buffers', '{"list":[{"id":"../x","name":"y"},{}],"current":3}');
    memory.setItem('drawbridge.draft', '"text"');
    expect(names(desk())).toEqual(['bundle.yaml']);
    expect(desk().load()).toBeUndefined();
  });
});
