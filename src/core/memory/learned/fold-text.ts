import { createHash } from 'node:crypto';

/** The same for texts that differ in case, spaces and ways to write a character only. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** Words, and the signs that make another thing of one: C, C++ and C# are three. */
const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|(?!`)[\p{S}#%&@]/gu;

/** The words of a text in their order, without case and punctuation. */
export const wordsOf = (text: string): string[] =>
  foldText(text)
    .replaceAll(/['’]/g, '')
    .match(wordPattern) ?? [];

/** The same for what says the same in the same words. */
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

const shared = (one: Set<string>, other: Set<string>) => [...one].filter((each) => other.has(each)).length;

/** What two texts are compared by. */
export interface Shape {
  numbers: Set<string>;
  shingles: Set<string>;
}
export function shapeOf(text: string): Shape {
  const words = wordsOf(text);
  return { numbers: numbersOf(words), shingles: shinglesOf(words) };
}

/**
 * From 0 to 1: how many of their runs of three words two texts share (Jaccard). Texts that name other numbers are not
 * alike: error 404 is not error 500.
 */
export function likeness(one: Shape, other: Shape): number {
  if (one.numbers.size !== other.numbers.size || shared(one.numbers, other.numbers) < one.numbers.size)
    return 0;
  const both = shared(one.shingles, other.shingles);
  return both / (one.shingles.size + other.shingles.size - both);
}
