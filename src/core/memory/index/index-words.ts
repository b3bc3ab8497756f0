/** Scripts that write without spaces, or whose words are found by pieces of them. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const hasUnspaced = new RegExp(`[${UNSPACED}]`, 'u');
const unspacedPieces = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');

/** Words, and what programs and people write as one: `getUserById`, `user_id`, `index-calls.ts`, `v1.2.3`, `don't`. */
const RUN = /[\p{L}\p{N}\p{M}]+(?:(?:_+|[-.'’‐])[\p{L}\p{N}\p{M}]+)*/gu;
const plainRun = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;
const connector = /[-_.'’‐]/;
const CONNECTORS = /[-_.'’‐]+/g;
const DASHES = /[-_‐]+/;
const APOSTROPHE = /['’]/;
const betweenDigits = /(?<=\p{N})[-_.'’‐]+(?=\p{N})/gu;
const HUMP = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{M}]+|\p{N}+/gu;
const ASCII_HUMP = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** Longer names are known by their parts; longer words by their beginning. */
const LONGEST_NAME = 64;
const LONGEST_WORD = 128;

/** The tokenizer of the index takes it for a letter, and no text has any: they are private characters. */
const DOT = '\ue000';
const privateCharacters = /\p{Co}/gu;

const FOLDED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };
const foldedLetters = /[ßæœøłđı]/g;
const accents = /[\u0300-\u036f\u00ad\u200c-\u200d\u2060\ufeff]/g;
// oxlint-disable-next-line no-control-regex
const onlyAscii = /^[\0-\x7f]*$/;

/** Accents, widths and ligatures make no difference; the case still does, for the sake of camelCase. */
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

/** What the index is given in place of a text: what is written as one stands there as a whole and in its parts. */
export const indexedForm = (text: string): string =>
  unaccented(text).replace(RUN, (run) =>
    plainRun.test(run) ? run : indexTerm(wordsOfRun(run, 'index').join(' ')),
  );

/** The words to look for, run by run: the whole of what is written as one, and its parts. */
export function* wordRuns(text: string): Generator<string[]> {
  for (const [run] of unaccented(text).matchAll(RUN)) yield wordsOfRun(run, 'query');
}

/** A word, or words, as the index knows them: its tokenizer would split at a dot. */
export const indexTerm = (words: string): string => words.replaceAll('.', DOT);

function wordsOfRun(run: string, purpose: 'index' | 'query'): string[] {
  if (plainRun.test(run)) return [lowered(run)];
  if (!hasUnspaced.test(run)) return wordsOfName(run);
  return (run.match(unspacedPieces) ?? []).flatMap((piece) =>
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
      // What an apostrophe cuts off (the s of "user's") says nothing.
      for (const piece of pieces) if (piece.length >= (pieces.length > 1 ? 2 : 1)) addPiece(words, piece);
    }
  }
}

function addPiece(words: Set<string>, piece: string): void {
  words.add(lowered(piece));
  if (plainRun.test(piece)) return;
  const humps = piece.match(onlyAscii.test(piece) ? ASCII_HUMP : HUMP) ?? [];
  // Hashes and the like fall into pieces that mean nothing.
  if (humps.length > 1 && piece.length >= 2 * humps.length)
    for (const hump of humps) words.add(lowered(hump));
}

/** `userId`, `user_id` and `user-id` are the same; `1.23` and `12.3` are not. */
function addWhole(words: Set<string>, name: string): void {
  if (name.length === 0 || name.length > LONGEST_NAME) return;
  if (!connector.test(name)) return void words.add(lowered(name));
  const whole = lowered(name.replace(betweenDigits, DOT).replace(CONNECTORS, '').replaceAll(DOT, '.'));
  words.add(whole);
  if (/^v\d+\./.test(whole)) words.add(whole.slice(1));
}

/** Texts of scripts without spaces are known by each character as well; who asks for several means them together. */
function pairs(piece: string, purpose: 'index' | 'query'): string[] {
  const characters = Array.from(lowered(piece));
  if (characters.length === 1) return characters;
  const words = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  return purpose === 'index' ? [...words, ...characters] : words;
}
