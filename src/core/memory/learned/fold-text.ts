import { createHash } from 'node:crypto';

/** Normalizes case, whitespace and Unicode forms. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** Words and significant symbols: C, C++ and C# differ. */
const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|(?!`)[\p{S}#%&@]/gu;

/** The words of a text without case and punctuation. */
export const wordsOf = (text: string): string[] =>
  foldText(text)
    .replaceAll(/['’]/g, '')
    .match(wordPattern) ?? [];

/** A key that is equal for the same words. */
export const contentKey = (type: string, parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([type, parts.map((part) => wordsOf(part)).flat()]))
    .digest('base64url');

const SHINGLE = 3;
function shinglesOf(words: readonly string[]): Set<string> {
  const shingles = new Set<string>();
  for (let at = 0; at <= Math.max(0, words.length - SHINGLE); at++)
    shingles.add(words.slice(at, at + SHINGLE).join(' '));
  return shingles;
}
const numbersOf = (words: readonly string[]) => new Set(words.filter((word) => /\p{N}/u.test(word)));

const countShared = (one: Set<string>, other: Set<string>) =>
  [...one].filter((each) => other.has(each)).length;

/** The features that two texts are compared by. */
export interface Shape {
  numbers: Set<string>;
  shingles: Set<string>;
}
export function shapeOf(text: string): Shape {
  const words = wordsOf(text);
  return { numbers: numbersOf(words), shingles: shinglesOf(words) };
}

/**
 * Jaccard similarity of word trigrams, 0 to 1. Texts with different numbers are not similar: error 404 is not error
 * 500.
 */
export function similarity(one: Shape, other: Shape): number {
  if (one.numbers.size !== other.numbers.size || countShared(one.numbers, other.numbers) < one.numbers.size)
    return 0;
  const both = countShared(one.shingles, other.shingles);
  return both / (one.shingles.size + other.shingles.size - both);
}
