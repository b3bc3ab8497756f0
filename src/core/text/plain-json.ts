import { AppError } from '../errors.ts';

/** Levels of objects and lists that a body may have. */
export const MAX_JSON_DEPTH = 64;
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Which parts of a value are not checked, or not as strictly. */
export interface PlainJsonOptions {
  /** The field that may contain NUL characters. */
  nulIn?: string | undefined;
  /** The field whose items are checked one by one later. */
  itemsLaterIn?: string | undefined;
}

/** Throws where a parsed JSON value is too deep, poisons prototypes, or has text that the database cannot store. */
export function checkPlainJson(value: unknown, { nulIn, itemsLaterIn }: PlainJsonOptions = {}): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return check(value, 1, false);
  for (const [key, item] of Object.entries(value)) {
    checkKey(key);
    if (key !== itemsLaterIn || !Array.isArray(item)) check(item, 2, key === nulIn);
  }
}

/** No deeper than the limit, so the stack is deep enough. */
function check(value: unknown, depth: number, mayHoldNul: boolean): void {
  if (typeof value === 'string') return checkText(value, mayHoldNul);
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_JSON_DEPTH)
    throw new AppError('validation', `The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const item of value) check(item, depth + 1, false);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    checkKey(key);
    check(item, depth + 1, false);
  }
}

function checkKey(key: string): void {
  if (refusedKeys.has(key)) throw new AppError('validation', `The key ${key} is not allowed`);
  checkText(key, false);
}

function checkText(text: string, mayHoldNul: boolean): void {
  if (!mayHoldNul && text.includes('\0'))
    throw new AppError('validation', 'Text cannot hold a NUL character');
  if (!text.isWellFormed()) throw new AppError('validation', 'Text holds half of a surrogate pair');
}
