import type { MissingVector } from '../index/index-calls.ts';

/** Vendors limit the tokens of a request, too. */
const MAX_CHARACTERS = 100_000;

/** The texts in batches of at most so many, and not too much in all. */
export function toBatches(texts: readonly MissingVector[], batch: number): MissingVector[][] {
  const batches: MissingVector[][] = [];
  let current: MissingVector[] = [];
  let characters = 0;
  for (const each of texts) {
    if (current.length >= batch || characters + each.text.length > MAX_CHARACTERS) {
      if (current.length > 0) batches.push(current);
      current = [];
      characters = 0;
    }
    current.push(each);
    characters += each.text.length;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
