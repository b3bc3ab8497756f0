/** Where in a text a word of the query is. */
export interface Hit {
  start: number;
  end: number;
  /** Which word of the query it is. */
  word: string;
}

const run = /[\p{L}\p{M}\p{N}]+/gu;
/** The words of a name in code, such as `readFile`. */
const part = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[[\p{L}\p{M}]--\p{Lu}]+|\p{N}+/gv;
/** Words that are in every text do not help to find the right one. */
const filler = new Set(
  (
    'a about after all also an and any are as at be been before but by can could did do does for from had has have ' +
    'how i if in into is it its me more most my no not of on only or our should so some than that the their then ' +
    'there these they this through to until was we were what when where which who why will with would you your'
  ).split(' '),
);
/** The words of a query that are looked for in what was found. */
export function queryWords(query: string): string[] {
  const runs = query.match(run) ?? [];
  const words = [...new Set(runs.flatMap((each) => [each, ...(each.match(part) ?? [])]).map(fold))];
  const telling = words.filter((word) => !filler.has(word));
  return telling.length > 0 ? telling : words;
}

/** Where these words are, also in other forms and in names of code: `deployed` and `deployAll` for `deploy`. */
export function findWords(text: string, words: readonly string[]): Hit[] {
  const findIn = (found: string, start: number): Hit[] => {
    const word = words.find((each) => isForm(fold(found), each));
    return word === undefined ? [] : [{ start, end: start + found.length, word }];
  };
  return [...text.matchAll(run)].flatMap(({ 0: whole, index }) => {
    const hits = findIn(whole, index);
    if (hits.length > 0) return hits;
    return [...whole.matchAll(part)].flatMap((each) => findIn(each[0], index + each.index));
  });
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
