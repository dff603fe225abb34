import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { expressionTokens } from './cel';

function found(text: string): string[] {
  const doc = Text.of(text.split('\n'));
  return expressionTokens(doc, 1, doc.lines).map(
    ({ from, to, kind }) => `${kind} ${doc.sliceString(from, to)}`,
  );
}

describe('the words of CEL', () => {
  it('are found in plain expressions', () => {
    expect(found('- cel:\n    expression: device.driver == "a.b" && size(x) > 10')).toEqual([
      'word device',
      'name driver',
      'string "a.b"',
      'call size',
      'number 10',
    ]);
  });
  it('are found in quotes and brackets', () => {
    expect(found(`- cel: {expression: 'device.attributes["a"].b in [true]'}`)).toEqual([
      'word device',
      'name attributes',
      'string "a"',
      'name b',
      'word in',
      'word true',
    ]);
    expect(found('{"expression": "device.driver == \\"a\\""}')).toEqual([
      'word device',
      'name driver',
      'string \\"a\\"',
    ]);
  });
  it('are found in blocks, as far as these go', () => {
    expect(found('  expression: |-\n    device.driver\n\n    in x\n  other: in y')).toEqual([
      'word device',
      'name driver',
      'word in',
    ]);
  });
  it('are not looked for elsewhere', () => {
    expect(found('driver: device.driver\n# expression: device')).toEqual([]);
  });
});
