import { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { tooLong } from './outbound-error.ts';

/** More than any server needs, and few enough to be cheap. */
const MAX_CODINGS = 5;
/** What arrived of a truncated stream is better than nothing, as in browsers. */
const tolerant = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const tolerantBrotli = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

type Decoder = (body: Uint8Array, limit: { maxOutputLength: number }) => Promise<Uint8Array>;
const gunzip: Decoder = (body, limit) => promisify(zlib.gunzip)(body, { ...tolerant, ...limit });

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Some servers leave out the header of zlib, whose low bits are 8.
  deflate: (body, limit) =>
    promisify(((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflate : zlib.inflateRaw)(body, {
      ...tolerant,
      ...limit,
    }),
  zstd: (body, limit) =>
    promisify(zlib.zstdDecompress)(body, { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 }, ...limit }),
  br: (body, limit) => promisify(zlib.brotliDecompress)(body, { ...tolerantBrotli, ...limit }),
};

/**
 * Undoes the codings of Content-Encoding. A body with an unknown coding stays as it is. Rejects with an `OutboundError`
 * as soon as the result is longer than `maxBytes`, and with the error of zlib.
 */
export async function decompress(
  body: Uint8Array,
  contentEncoding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  let plain = body;
  for (const decode of stepsOf(decoders, contentEncoding)) {
    try {
      plain = await decode(plain, { maxOutputLength: maxBytes });
    } catch (error) {
      const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw isTooLong ? tooLong(maxBytes) : error;
    }
  }
  return plain;
}

const streams: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(tolerant),
  'x-gzip': () => zlib.createGunzip(tolerant),
  deflate: () => zlib.createInflate(tolerant),
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
  br: () => zlib.createBrotliDecompress(tolerantBrotli),
};

/** The same as `decompress` for a body that comes in pieces, one stream after the other; none where nothing is coded. */
export function decoderStreams(contentEncoding: string, maxBytes: number): Transform[] {
  const decoding = stepsOf(streams, contentEncoding).map((create) => create());
  return decoding.flatMap((stream) => [stream, upTo(maxBytes)]);
}

/** Passes on what is not too long. */
function upTo(maxBytes: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > maxBytes) done(tooLong(maxBytes));
      else done(null, chunk);
    },
  });
}

/** The steps that undo the codings, in their order; none where one of them is not known. Throws where there are too many. */
function stepsOf<T>(known: Readonly<Record<string, T>>, contentEncoding: string): T[] {
  if (contentEncoding === '') return [];
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  if (codings.length > MAX_CODINGS) throw new Error(`a response with ${codings.length} content codings`);
  const steps = codings.flatMap((coding) => (Object.hasOwn(known, coding) ? [known[coding] as T] : []));
  return steps.length === codings.length ? steps.reverse() : [];
}
