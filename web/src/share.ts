// The whole state of the page in a link. It travels in the fragment, which
// browsers never send to a server.
//
//   #1.<base64url of the deflated JSON {"t": text, "k": version, "g": gates}>

import { t } from './texts';

export interface Shared {
  text: string;
  version: string;
  gates: string;
}

/** The link cannot be opened; the message says why, in words. */
export class ShareError extends Error {}

const format = '1';

/** Limits on what a link may unpack to: a link is anybody's input. */
export const limits = { encoded: 4 << 20, decoded: 16 << 20 };

/** Packs a state into a fragment, without the #. */
export async function encodeShare(state: Shared): Promise<string> {
  const json = JSON.stringify({ t: state.text, k: state.version, g: state.gates });
  const packed = await pipe(new TextEncoder().encode(json), new CompressionStream('deflate-raw'));
  const fragment = `${format}.${toBase64Url(packed)}`;
  if (fragment.length > limits.encoded) {
    throw new ShareError(t.links.large(fragment.length, limits.encoded));
  }
  return fragment;
}

/** Unpacks a fragment; undefined where it is not one of ours at all. */
export async function decodeShare(hash: string): Promise<Shared | undefined> {
  const fragment = hash.replace(/^#/, '');
  const match = /^(\d+)\.(.*)$/s.exec(fragment);
  if (!match) return undefined;
  const [, version, body = ''] = match;
  if (version !== format) {
    throw new ShareError(t.links.newer);
  }
  if (body.length > limits.encoded) {
    throw new ShareError(t.links.long(body.length));
  }
  return readState(await unpack(body));
}

async function unpack(body: string): Promise<string> {
  const cut = new ShareError(t.links.damaged);
  let packed: Uint8Array<ArrayBuffer>;
  try {
    packed = fromBase64Url(body);
  } catch {
    throw cut;
  }
  let bytes: Uint8Array;
  try {
    bytes = await pipe(packed, new DecompressionStream('deflate-raw'), limits.decoded);
  } catch (error) {
    throw error instanceof ShareError ? error : cut;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw cut;
  }
}

function readState(json: string): Shared {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  const state = (value ?? {}) as Record<string, unknown>;
  if (typeof state.t !== 'string') {
    throw new ShareError(t.links.empty);
  }
  return { text: state.t, version: word(state.k), gates: word(state.g) };
}

const word = (value: unknown) => (typeof value === 'string' ? value : '');

/** Runs bytes through a transform, and stops where more comes out than allowed. */
async function pipe(
  input: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
  limit = Infinity,
): Promise<Uint8Array> {
  const reader = new Blob([input]).stream().pipeThrough(transform).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      throw new ShareError(t.links.unpacked(limit >> 20));
    }
    chunks.push(value);
  }
  const joined = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  // In pieces: fromCharCode takes its input as arguments, whose number is limited.
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

/** Takes the link out of the address: it describes the text it came with, not what is typed later. */
export function forgetLink(): void {
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
}
