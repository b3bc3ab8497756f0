/** Where in a text a word of the query is. */
export interface Hit {
  start: number;
  end: number;
  /** Which word of the query it is. */
  word: string;
}

const token = /[\p{L}\p{M}\p{N}]+/gu;
/** Words that are in every text tell nothing about where to look. */
const filler = new Set(
  (
    'a about an and are as at be been but by can did do does for from had has have how i if in into is it its me ' +
    'my no not of on or our should so that the their then there these they this to was we were what when where ' +
    'which who why will with would you your'
  ).split(' '),
);
/** The words of a query that are looked for in what was found. */
export function queryWords(query: string): string[] {
  const words = [...new Set(query.match(token)?.map(fold) ?? [])];
  const telling = words.filter((word) => !filler.has(word));
  return telling.length > 0 ? telling : words;
}

/** Where these words are, also in other forms: `deployed` for `deploy`. */
export function findWords(text: string, words: readonly string[]): Hit[] {
  const hits: Hit[] = [];
  for (const { 0: found, index } of text.matchAll(token)) {
    const word = words.find((each) => isForm(fold(found), each));
    if (word !== undefined) hits.push({ start: index, end: index + found.length, word });
  }
  return hits;
}

/** Without case and accents. */
const fold = (word: string) => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

function isForm(found: string, word: string): boolean {
  if (found === word) return true;
  // Scripts without spaces have whole sentences where others have a word.
  return isPlain.test(word) ? stem(found) === stem(word) : found.includes(word);
}

const isPlain = /^[a-z\d]+$/;

/** What the usual forms of an English word have in common; of short words nothing is cut. */
const stem = (word: string) =>
  word
    .replace(/(?<=...)ie[sd]$/, 'y')
    .replace(/(?<=...(?:s|x|ch|sh))es$|(?<=..[^s])s$/, '')
    .replace(/(?<=...)(?:ing|ed|ment|ion)$/, '')
    .replace(/(?<=...)e$/, '')
    .replace(/([bdgmnprt])\1$/, '$1');
