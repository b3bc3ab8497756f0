import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { jsonObjectSchema } from '../../../contract/primitives.ts';
import { AppError } from '../../errors.ts';
import { checkJsonSize } from '../../text/measure-json.ts';
import { MAX_JSON_DEPTH } from '../../text/plain-json.ts';

/** The largest body of a vendor is 5 MiB, and no vendor sends a value for every 16 bytes. */
const limits = { maxDepth: MAX_JSON_DEPTH, maxValues: (5 * 1024 * 1024) / 16 };

type JsonObject = z.output<typeof jsonObjectSchema>;

export interface InboundPayload {
  /** The JSON as received. */
  text: string;
  value: JsonObject;
}

/** Parses the body of a delivery: a JSON object, or a form whose only field `payload` is one. */
export function readPayload(contentType: string | undefined, bytes: Buffer): InboundPayload {
  if (!isUtf8(bytes)) throw new AppError('validation', 'The body is not valid UTF-8');
  const body = bytes.toString('utf8');
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? ''))
    return { text: body, value: parse(body, bytes) };
  const text = payloadOf(body);
  return { text, value: parsePayload(text) };
}

export const parsePayload = (text: string): JsonObject => parse(text, Buffer.from(text));

/** Takes the text in both forms, because a large one takes long to encode again. */
function parse(text: string, bytes: Buffer): JsonObject {
  checkJsonSize(bytes, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('validation', 'The body is not valid JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('validation', 'The body is not a JSON object');
  return value as JsonObject;
}

function payloadOf(form: string): string {
  const [payload, ...others] = new URLSearchParams(form).getAll('payload');
  if (payload === undefined || others.length > 0)
    throw new AppError('validation', 'The form must have one field named payload');
  return payload;
}
