import { describe, expect, it } from 'vitest';
import { indentJSON, yamlOf } from './json';

describe('indentJSON', () => {
  it('agrees with JSON.stringify', () => {
    const value = { a: [1, -2.5e9, true, null], b: {}, c: [], 'd"\\': 'x{,}: [y]', e: { f: 'g' } };
    expect(indentJSON(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });
  it('keeps numbers as they were written', () => {
    expect(indentJSON('{"n":9223372036854775807}')).toBe('{\n  "n": 9223372036854775807\n}');
  });
});

describe('yamlOf', () => {
  it('writes what JSON says', () => {
    const json =
      '{"a":1,"big":12345678901234567890,"list":[{"x":"1","y":[]},[1,{"z":null}]],"empty":{},"no":"no","text":"a: b\\n","n":{"m":[true]}}';
    expect(yamlOf(json)).toBe(`a: 1
big: 12345678901234567890
list:
- x: "1"
  "y": []
- - 1
  - z: null
empty: {}
"no": "no"
text: "a: b\\n"
"n":
  m:
  - true
`);
  });

  it('writes scalars and nothing', () => {
    expect(yamlOf('3')).toBe('3\n');
    expect(yamlOf('')).toBe('\n');
  });
});
