import type { FastifyReply } from 'fastify';

/** Bytes from `start` up to `end`. */
export interface Span {
  start: number;
  end: number;
}

interface RangeRequest {
  range?: string | undefined;
  'if-range'?: string | undefined;
}

/** RFC 9110, section 15.5.17. */
class RangeNotSatisfiable extends Error {
  readonly statusCode = 416;
}

/**
 * The span of a file that a request names with `Range` (RFC 9110, section 14), with the headers and the status of the
 * response. A request for several ranges, in another unit, or with another version in `If-Range` gets the whole file.
 */
export function rangeOf(
  reply: FastifyReply,
  { range, 'if-range': version }: RangeRequest,
  { size, tag }: { size: number; tag: string | undefined },
): Span {
  reply.header('accept-ranges', 'bytes');
  if (tag !== undefined) reply.header('etag', `"${tag}"`);
  const whole = { start: 0, end: size };
  if (range === undefined || (version !== undefined && version !== `"${tag}"`)) return whole;
  const span = parseRange(range, size);
  if (span === undefined) return whole;
  if (span.start >= span.end) {
    reply.header('content-range', `bytes */${size}`);
    throw new RangeNotSatisfiable(`The output has ${size} bytes`);
  }
  reply.code(206).header('content-range', `bytes ${span.start}-${span.end - 1}/${size}`);
  return span;
}

/** Undefined for what is not one range of bytes; empty for one that the file does not have. */
function parseRange(text: string, size: number): Span | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(text) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
