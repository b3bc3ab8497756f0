/** PostgreSQL refuses longer words and larger vectors (2 KiB, 1 MiB). */
const MAX_WORD = 500;
const MAX_BYTES = 1_000_000;

/** The different words of a text, cut and folded as `unicode61 remove_diacritics 2` of SQLite's FTS5 does. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return [...new Set(folded.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [])].map((word) => word.slice(0, MAX_WORD));
}

/** The words that fit into one vector; of a text with more, those at its end are not found. */
export function indexedWords(text: string): string[] {
  let left = MAX_BYTES;
  return wordsOf(text).filter((word) => (left -= Buffer.byteLength(word) + 4) > 0);
}

/** A condition on a vector: all words of the query, of which the last may be the beginning of one. Undefined without words. */
export function toTextQuery(query: string): string | undefined {
  const words = (query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap(wordsOf);
  if (words.length === 0) return undefined;
  return `${words.map((word) => `'${word}'`).join(' & ')}:*`;
}
