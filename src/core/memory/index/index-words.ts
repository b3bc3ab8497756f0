/** Scripts written without spaces, or whose words are found by parts. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const hasUnspaced = new RegExp(`[${UNSPACED}]`, 'u');
const unspacedPieces = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');

/** Words and compounds: `getUserById`, `user_id`, `index-calls.ts`, `v1.2.3`, `don't`. */
const COMPOUND = /[\p{L}\p{N}\p{M}]+(?:(?:_+|[-.'’‐])[\p{L}\p{N}\p{M}]+)*/gu;
const plainWord = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;
const connector = /[-_.'’‐]/;
const CONNECTORS = /[-_.'’‐]+/g;
const DASHES = /[-_‐]+/;
const APOSTROPHE = /['’]/;
const betweenDigits = /(?<=\p{N})[-_.'’‐]+(?=\p{N})/gu;
const HUMP = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{M}]+|\p{N}+/gu;
const ASCII_HUMP = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** Longer names are indexed by their parts, longer words by their beginning. */
const LONGEST_NAME = 64;
const LONGEST_WORD = 128;

/** A private-use character that the tokenizer treats as a letter and that no text contains. */
const DOT = '\ue000';
const privateCharacters = /\p{Co}/gu;

const FOLDED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };
const foldedLetters = /[ßæœøłđı]/g;
const accents = /[\u0300-\u036f\u00ad\u200c-\u200d\u2060\ufeff]/g;
// oxlint-disable-next-line no-control-regex
const onlyAscii = /^[\0-\x7f]*$/;

/** Removes accents, widths and ligatures. The case stays, to split camelCase. */
const unaccented = (text: string): string =>
  onlyAscii.test(text)
    ? text
    : text.normalize('NFKD').replace(accents, '').normalize('NFC').replace(privateCharacters, ' ');

function lowered(word: string): string {
  const lower = word.toLowerCase();
  const folded = onlyAscii.test(lower)
    ? lower
    : lower.replace(foldedLetters, (letter) => FOLDED[letter] ?? letter);
  return folded.length > LONGEST_WORD ? folded.slice(0, LONGEST_WORD) : folded;
}

/** The form of a text that is indexed: each compound as a whole and in parts. */
export const indexedForm = (text: string): string =>
  unaccented(text).replace(COMPOUND, (compound) =>
    plainWord.test(compound) ? compound : indexTerm(wordsOfCompound(compound, 'index').join(' ')),
  );

/** The words to search for, grouped by compound: the whole and its parts. */
export function* wordGroups(text: string): Generator<string[]> {
  for (const [compound] of unaccented(text).matchAll(COMPOUND)) yield wordsOfCompound(compound, 'query');
}

/** Escapes dots, at which the tokenizer would split. */
export const indexTerm = (words: string): string => words.replaceAll('.', DOT);

function wordsOfCompound(compound: string, purpose: 'index' | 'query'): string[] {
  if (plainWord.test(compound)) return [lowered(compound)];
  if (!hasUnspaced.test(compound)) return wordsOfName(compound);
  return (compound.match(unspacedPieces) ?? []).flatMap((piece) =>
    hasUnspaced.test(piece) ? pairs(piece, purpose) : wordsOfName(piece),
  );
}

function wordsOfName(name: string): string[] {
  const words = new Set<string>();
  if (connector.test(name)) addParts(words, name);
  else addPiece(words, name);
  return [...words];
}

function addParts(words: Set<string>, name: string): void {
  addWhole(words, name);
  const segments = name.split('.');
  for (const segment of segments) {
    if (segments.length > 1) addWhole(words, segment);
    for (const atom of segment.split(DASHES)) {
      const pieces = atom.split(APOSTROPHE);
      if (pieces.length > 1) addWhole(words, atom);
      // The suffix after an apostrophe (the s of "user's") is dropped.
      for (const piece of pieces) if (piece.length >= (pieces.length > 1 ? 2 : 1)) addPiece(words, piece);
    }
  }
}

function addPiece(words: Set<string>, piece: string): void {
  words.add(lowered(piece));
  if (plainWord.test(piece)) return;
  const humps = piece.match(onlyAscii.test(piece) ? ASCII_HUMP : HUMP) ?? [];
  // Hashes would split into meaningless parts.
  if (humps.length > 1 && piece.length >= 2 * humps.length)
    for (const hump of humps) words.add(lowered(hump));
}

/** Adds a compound as one word: `userId`, `user_id` and `user-id` are equal; `1.23` and `12.3` are not. */
function addWhole(words: Set<string>, name: string): void {
  if (name.length === 0 || name.length > LONGEST_NAME) return;
  if (!connector.test(name)) return void words.add(lowered(name));
  const whole = lowered(name.replace(betweenDigits, DOT).replace(CONNECTORS, '').replaceAll(DOT, '.'));
  words.add(whole);
  if (/^v\d+\./.test(whole)) words.add(whole.slice(1));
}

/**
 * Bigrams for scripts without spaces. The index also stores single characters; a query for several means them together.
 */
function pairs(piece: string, purpose: 'index' | 'query'): string[] {
  const characters = Array.from(lowered(piece));
  if (characters.length === 1) return characters;
  const words = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  return purpose === 'index' ? [...words, ...characters] : words;
}
