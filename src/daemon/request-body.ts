import { isUtf8 } from 'node:buffer';
import { AppError } from '../core/errors.ts';

const MAX_DEPTH = 64;
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a JSON body; what is broken, too deep or made to poison prototypes is refused. An empty body is undefined.
 * NUL characters are allowed only in the text of the field `nulIn`.
 */
export function parseJsonBody(bytes: Buffer, nulIn?: string): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new AppError('validation', 'The body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new AppError('validation', 'The body is not valid JSON', { cause });
  }
  // No body at all is told to a route as null, so this one has to be refused here.
  if (value === null) throw new AppError('validation', 'The body cannot be null');
  check(value, nulIn);
  return value;
}

/** Walks with a list of its own, because the body may be deeper than the stack. */
function check(body: unknown, nulIn: string | undefined): void {
  const waiting: { value: unknown; depth: number; mayHoldNul?: boolean }[] = [{ value: body, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth, mayHoldNul } = next;
    if (typeof value === 'string') checkText(value, mayHoldNul);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH)
      throw new AppError('validation', `The body is nested deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      for (const item of value) waiting.push({ value: item, depth: depth + 1 });
      continue;
    }
    for (const [key, item] of Object.entries(value)) {
      if (refusedKeys.has(key)) throw new AppError('validation', `The key ${key} is not allowed`);
      checkText(key);
      waiting.push({ value: item, depth: depth + 1, mayHoldNul: depth === 1 && key === nulIn });
    }
  }
}

function checkText(text: string, mayHoldNul = false): void {
  if (!mayHoldNul && text.includes('\0'))
    throw new AppError('validation', 'Text cannot hold a NUL character');
  if (!text.isWellFormed()) throw new AppError('validation', 'Text holds half of a surrogate pair');
}
