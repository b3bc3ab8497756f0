import type { MissingVector } from '../index/index-calls.ts';

/** Providers limit the tokens per request, too. */
const MAX_CHARACTERS = 100_000;

/** Splits texts into batches that respect a maximum count and a maximum of characters. */
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
