import { describe, expect, it } from 'vitest';
import type { NodeResult, Picture, PictureDevice, PicturePool } from './api';
import { cards, cell, currentIn, deviceAt, drawing, refusalsOf, search, wordFor } from './picture';

const at = (line: number, column = 5) => ({
  document: 0,
  line,
  column,
  endLine: line,
  endColumn: column + 4,
});

const device = (name: string, more: Partial<PictureDevice> = {}): PictureDevice => ({
  name,
  ...more,
});

const pool = (name: string, devices: PictureDevice[], more: Partial<PicturePool> = {}) => ({
  driver: 'gpu.example.com',
  name,
  generation: 1,
  slices: 1,
  announced: 1,
  node: name,
  devices,
  ...more,
});

const picture: Picture = {
  nodes: [{ name: 'a' }, { name: 'b', like: 'a' }, { name: 'c' }, { name: 'd' }],
  pools: [
    pool('a', [device('d0', { location: at(5) }), device('d1', { location: at(9) })]),
    pool('b', [device('d0'), device('d1')]),
    pool('c', [device('d0', { holders: [{ claim: 'default/one', request: 'r' }] })]),
    pool('net', [device('eth0', { taints: [{ taint: 'broken:NoSchedule' }] })], {
      node: '',
      for: 'all nodes',
    }),
  ],
  links: [],
};

const refused = (node: string, code: string, name = 'd0'): NodeResult => ({
  name: node,
  fits: false,
  reasons: [
    {
      code: 'too-few-devices',
      message: 'm',
      devices: [{ driver: 'gpu.example.com', pool: node, device: name, code, message: code }],
    },
  ],
});

describe('cards', () => {
  const drawn = drawing(picture);
  const names = (tried: NodeResult[]) =>
    cards(drawn, picture.nodes, tried).map(({ nodes }) => nodes.map(({ name }) => name).join());

  it('put nodes together that look alike, and tell apart what is said of them', () => {
    expect(names([])).toEqual(['a,b', 'c', 'd']);
    expect(names([refused('a', 'taint'), refused('b', 'taint')])).toEqual(['a,b', 'c', 'd']);
    expect(names([refused('a', 'taint'), refused('b', 'counters')])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keep pools for several nodes apart', () => {
    expect(drawn.shared.map(({ name }) => name)).toEqual(['net']);
  });
});

describe('search', () => {
  const drawn = drawing(picture);
  const found = (words: string, refusals = refusalsOf([])) => {
    const { nodes, shared } = search(drawn, words, refusals);
    return [...nodes.map(({ name }) => name), ...shared.map(({ name }) => name)].join();
  };

  it.each([
    ['', 'a,b,c,d,net'],
    ['D1', 'a,b'],
    ['default/one', 'c'],
    ['broken', 'net'],
    ['nothing', ''],
  ])('finds by %s', (words, want) => expect(found(words)).toBe(want));

  it('finds by the word of a reason', () => {
    expect(found('counters', refusalsOf([refused('b', 'counters')]))).toBe('b');
  });
});

describe('refusalsOf', () => {
  it('takes what is said first, and "for other nodes" only where nothing else is', () => {
    const of = (...codes: string[]) =>
      refusalsOf(codes.map((code) => refused('a', code))).get('gpu.example.com/a/d0')?.code;
    expect(of('taint', 'counters')).toBe('taint');
    expect(of('node-selection', 'counters')).toBe('counters');
    expect(of('node-selection')).toBe('node-selection');
  });
});

describe('deviceAt', () => {
  const text = [
    'spec:',
    '  node: a',
    '  driver: x',
    '  devices:',
    '  - name: d0',
    '    attributes:',
    '      model: {string: x}',
    '',
    '  - name: d1',
    '    basic: {}',
    '---',
    'kind: Pod',
  ];
  const drawn = drawing(picture);
  const find = (line: number) => deviceAt(drawn, line, (n) => text[n - 1] ?? '');

  it('knows the lines of a device', () => {
    expect([4, 5, 7, 8, 9, 10, 11, 12].map((line) => find(line)?.slice(-2))).toEqual([
      undefined,
      'd0',
      'd0',
      'd0',
      'd1',
      'd1',
      undefined,
      undefined,
    ]);
  });
});

describe('cell', () => {
  const one = pool('c', [device('d0', { holders: [{ claim: 'default/one', request: 'r' }] })]);
  const held = new Map([['default/one', { mark: 2, before: false }]]);

  it('is held, was held before, is free, or is refused with a word', () => {
    expect(cell(one, one.devices[0]!, held, new Map())).toMatchObject({ look: 'held', marks: [2] });
    const before = new Map([['default/one', { mark: 2, before: true }]]);
    expect(cell(one, one.devices[0]!, before, new Map()).look).toBe('before');
    expect(cell(one, device('d1'), held, new Map())).toMatchObject({
      look: 'free',
      text: 'd1, free',
    });
    const refusals = refusalsOf([refused('c', 'in-use')]);
    const { look, word, text } = cell(one, one.devices[0]!, held, refusals);
    expect([look, word, text]).toEqual([
      'refused',
      'in use',
      'd0 in use, held by default/one, in-use',
    ]);
  });

  it('does not count administrators as holders', () => {
    const seen = device('d0', { holders: [{ claim: 'default/one', request: 'r', admin: true }] });
    expect(cell(one, seen, held, new Map())).toMatchObject({
      look: 'free',
      text: 'd0, held by default/one as administrator',
    });
  });

  it('shows a code that has no word as it is', () => {
    expect(wordFor('new-code')).toBe('new-code');
  });
});

describe('the device at the cursor', () => {
  it('concerns its own pool alone, so that no other has to be drawn anew', () => {
    const [a, b] = picture.pools as [PicturePool, PicturePool];
    const current = 'gpu.example.com/a/d0';
    expect([currentIn(a, current), currentIn(b, current), currentIn(a, undefined)]).toEqual([
      current,
      undefined,
      undefined,
    ]);
    expect(currentIn({ ...a, name: 'aa' }, current)).toBeUndefined();
  });
});
