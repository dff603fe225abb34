import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeShare, encodeShare, limits, ShareError } from './share';

const state = { text: 'kind: Pod\n# 😀 ü\n', version: '1.35', gates: 'A=true,B=false' };
const pack = (content: string | Uint8Array) =>
  `#1.${deflateRawSync(content).toString('base64url')}`;

describe('share', () => {
  it('gives back what was shared', async () => {
    expect(await decodeShare('#' + (await encodeShare(state)))).toEqual(state);
  });
  it('survives a large text that does not compress', async () => {
    let seed = 1;
    const text = Array.from({ length: 300_000 }, () =>
      String.fromCharCode(32 + ((seed = (seed * 48271) % 2147483647) % 90)),
    ).join('');
    expect((await decodeShare('#' + (await encodeShare({ ...state, text }))))?.text).toBe(text);
  });
  it('uses only characters that no chat program cuts at', async () => {
    expect(await encodeShare(state)).toMatch(/^1\.[A-Za-z0-9_-]+$/);
  });
  it('leaves other fragments alone', async () => {
    expect(await decodeShare('')).toBeUndefined();
    expect(await decodeShare('#problems')).toBeUndefined();
  });
  it.each([
    ['a newer format', '#2.abc', /newer version/],
    ['a cut link', async () => '#' + (await encodeShare(state)).slice(0, -8), /damaged/],
    ['letters that are not base64', '#1.***', /damaged/],
    ['no body', '#1.', /damaged/],
    ['bytes that are not text', pack(new Uint8Array([0xff, 0xfe])), /damaged/],
    ['JSON of another kind', pack('[1]'), /no text/],
    ['null', pack('null'), /no text/],
    ['no JSON', pack('hello'), /no text/],
    ['too long a link', '#1.' + 'A'.repeat(limits.encoded + 1), /too long/],
    ['a bomb', pack(new Uint8Array(limits.decoded + 1)), /unpacks to more than 16 MiB/],
  ])('says what is wrong with %s', async (_, link, message) => {
    const opened = decodeShare(typeof link === 'string' ? link : await link());
    await expect(opened).rejects.toThrow(ShareError);
    await expect(opened).rejects.toThrow(message);
  });
  it('takes wrong types of the small fields for nothing', async () => {
    expect(await decodeShare(pack('{"t":"x","k":5,"g":{}}'))).toEqual({
      text: 'x',
      version: '',
      gates: '',
    });
  });
});
