import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompress } from '../../../src/core/outbound/decompress.ts';

const text = 'the answer '.repeat(50);
const read = async (body: Uint8Array, codings: string, maxBytes = 1000) =>
  Buffer.from(await decompress(body, codings, maxBytes)).toString();

describe('decompress', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['X-GZip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ])('decodes %s', async (codings, body) => {
    expect(await read(body, codings)).toBe(text);
  });

  it.each(['identity', 'compress', 'gzip, constructor', ''])(
    'keeps a body with a coding that it does not know: %j',
    async (codings) => {
      expect(await read(Buffer.from('as it is'), codings)).toBe('as it is');
    },
  );

  it('returns what arrived of a truncated stream', async () => {
    expect(text.startsWith(await read(gzipSync(text).subarray(0, -12), 'gzip'))).toBe(true);
  });

  it('rejects a body that is longer than the limit after any of its codings', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(50_000_000)));
    await expect(read(bomb, 'gzip, gzip')).rejects.toMatchObject({ fault: 'too_long' });
    await expect(read(gzipSync(text), 'gzip', text.length - 1)).rejects.toMatchObject({
      fault: 'too_long',
      message: `The answer is longer than ${text.length - 1} bytes`,
    });
    expect(await read(gzipSync(text), 'gzip', text.length)).toBe(text);
  });

  it('rejects a body that is not what its header says, and more codings than five', async () => {
    await expect(read(Buffer.from('not gzip'), 'gzip')).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
    await expect(read(gzipSync(text), 'gzip, gzip, gzip, gzip, gzip, gzip')).rejects.toThrow('6 content');
  });
});
