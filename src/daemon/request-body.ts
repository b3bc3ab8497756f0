import { isUtf8 } from 'node:buffer';
import type { FastifyBodyParser } from 'fastify';
import type { Route } from '../contract/route.ts';
import { AppError } from '../core/errors.ts';
import { checkJsonSize } from '../core/text/measure-json.ts';
import { checkPlainJson, MAX_JSON_DEPTH, type PlainJsonOptions } from '../core/text/plain-json.ts';

/** A body may have one value for so many bytes of its limit; a task of an export has one for about 25. */
const BYTES_PER_VALUE = 16;

export const BODY_LIMIT = 1024 * 1024;
/** People who are not signed in send little. */
const PUBLIC_BODY_LIMIT = 64 * 1024;

export interface BodyOptions extends PlainJsonOptions {
  /** The most bytes that the route accepts. */
  bodyLimit: number;
}

/** The most bytes that a body of the route may have. */
export const bodyLimitOf = ({ bodyLimit, access }: Pick<Route, 'bodyLimit' | 'access'>): number =>
  bodyLimit ?? (access === 'public' ? PUBLIC_BODY_LIMIT : BODY_LIMIT);

/**
 * Parses a JSON body; throws where it is malformed, too deep, has too many values or would pollute prototypes. An empty
 * body is undefined.
 */
function parseJsonBody(bytes: Buffer, options: BodyOptions = { bodyLimit: BODY_LIMIT }): unknown {
  if (bytes.length === 0) return undefined;
  checkJsonSize(bytes, {
    // Items that are checked one by one are refused one by one.
    maxDepth: options.itemsLaterIn === undefined ? MAX_JSON_DEPTH : Infinity,
    maxValues: Math.ceil(options.bodyLimit / BYTES_PER_VALUE),
  });
  if (!isUtf8(bytes)) throw new AppError('validation', 'The body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new AppError('validation', 'The body is not valid JSON', { cause });
  }
  // Fastify passes a missing body as null, so an explicit null must be refused here.
  if (value === null) throw new AppError('validation', 'The body cannot be null');
  checkPlainJson(value, options);
  return value;
}

/** The parser of JSON for a content type, with the limits of the route. */
export const jsonParser: FastifyBodyParser<Buffer> = (request, body, done) => {
  try {
    done(null, parseJsonBody(body, request.guarded?.body));
  } catch (error) {
    done(error as Error);
  }
};
