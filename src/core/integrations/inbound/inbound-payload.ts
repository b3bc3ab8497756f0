import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { jsonObjectSchema } from '../../../contract/primitives.ts';
import { AppError } from '../../errors.ts';

const MAX_DEPTH = 64;

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
  const text = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '') ? payloadOf(body) : body;
  return { text, value: parsePayload(text) };
}

export function parsePayload(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('validation', 'The body is not valid JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('validation', 'The body is not a JSON object');
  checkDepth(value);
  return value as JsonObject;
}

function payloadOf(form: string): string {
  const [payload, ...others] = new URLSearchParams(form).getAll('payload');
  if (payload === undefined || others.length > 0)
    throw new AppError('validation', 'The form must have one field named payload');
  return payload;
}

/** Iterative, because the payload may be nested deeper than the call stack allows. */
function checkDepth(payload: object): void {
  const waiting: { value: object; depth: number }[] = [{ value: payload, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH)
      throw new AppError('validation', `The body is nested deeper than ${MAX_DEPTH} levels`);
    for (const inner of Object.values(value) as unknown[])
      if (typeof inner === 'object' && inner !== null) waiting.push({ value: inner, depth: depth + 1 });
  }
}
