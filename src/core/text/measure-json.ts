import { AppError } from '../errors.ts';

export interface JsonLimits {
  maxDepth: number;
  maxValues: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Refuses JSON that is too deep or has too many values, before anything is built from it: a list costs the sender two
 * bytes and its reader a hundred. Linear, and without memory of its own. What is no JSON is left to the parser.
 */
export function checkJsonSize(bytes: Buffer, { maxDepth, maxValues }: JsonLimits): void {
  // Each value and each level costs a byte, so a small body has to be counted only if it opens many.
  if (bytes.length < maxValues && !opensMoreThan(bytes, maxDepth)) return;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) values++;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > maxDepth)
        throw new AppError('validation', `The body is nested deeper than ${maxDepth} levels`);
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    if (values > maxValues) throw new AppError('validation', `The body has more than ${maxValues} values`);
  }
}

/** Whether there are more opening brackets, those in strings included. */
function opensMoreThan(bytes: Buffer, most: number): boolean {
  if (bytes.length <= most) return false;
  let found = 0;
  for (const bracket of [0x5b, 0x7b])
    for (let at = bytes.indexOf(bracket); at !== -1; at = bytes.indexOf(bracket, at + 1))
      if (++found > most) return true;
  return false;
}

/** The index of the quote that closes a string; the length of the bytes if there is none. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}
