/** Longer words are no words of a language. */
const LONGEST = 64;

/** Suffixes with their replacements by step; the first that matches is the only one tried. */
const STEP_2 = table(
  'ational ate, tional tion, enci ence, anci ance, izer ize, logi log, bli ble, alli al, entli ent, eli e, ousli ous',
  'ization ize, ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble',
);
const STEP_3 = table('icate ic, ative, alize al, iciti ic, ical ic, ful, ness');
const STEP_4 = table(
  'al, ance, ence, er, ic, able, ible, ant, ement, ment, ent, ion, ou, ism, ate, iti, ous, ive, ize',
);

type Suffix = readonly [suffix: string, replacement: string];

/** Suffixes by their last letter but one, longest first. */
function table(...rules: string[]): ReadonlyMap<number, Suffix[]> {
  const suffixes = rules
    .flatMap((line) => line.split(', '))
    .map((rule): Suffix => {
      const [suffix = '', replacement = ''] = rule.split(' ');
      return [suffix, replacement];
    })
    .toSorted(([a], [b]) => b.length - a.length);
  return Map.groupBy(suffixes, ([suffix]) => suffix.charCodeAt(suffix.length - 2));
}

/** The stem of a lower-case word by the algorithm of Porter (1980), as FTS5 and most engines compute it. */
export function porterStem(word: string): string {
  if (word.length < 3 || word.length > LONGEST) return word;
  let stem = withoutPlural(word);
  stem = withoutTense(stem);
  if (stem.endsWith('y') && hasVowel(stem, stem.length - 1)) stem = `${stem.slice(0, -1)}i`;
  stem = replaced(stem, STEP_2, 0);
  stem = replaced(stem, STEP_3, 0);
  stem = replaced(stem, STEP_4, 1);
  return withoutFinal(stem);
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('sses') || (word.endsWith('ies') && word.length > 3)) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

function withoutTense(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const removed = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (removed === 0 || !hasVowel(word, word.length - removed)) return word;
  const stem = word.slice(0, -removed);
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (endsDouble(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem, stem.length) === 1 && endsShort(stem, stem.length) ? `${stem}e` : stem;
}

function replaced(word: string, rules: ReadonlyMap<number, Suffix[]>, above: number): string {
  for (const [suffix, replacement] of rules.get(word.charCodeAt(word.length - 2)) ?? []) {
    if (!word.endsWith(suffix)) continue;
    const end = word.length - suffix.length;
    if (measure(word, end) <= above) return word;
    if (suffix === 'ion' && word[end - 1] !== 's' && word[end - 1] !== 't') return word;
    return word.slice(0, end) + replacement;
  }
  return word;
}

function withoutFinal(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const end = stem.length - 1;
    const m = measure(stem, end);
    if (m > 1 || (m === 1 && !endsShort(stem, end))) stem = stem.slice(0, end);
  }
  return stem.endsWith('ll') && measure(stem, stem.length - 1) > 1 ? stem.slice(0, -1) : stem;
}

/** Whether the letter is a vowel; y is one after a consonant. */
function isVowel(word: string, at: number): boolean {
  switch (word.charCodeAt(at)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
      return true;
    case 121:
      return at > 0 && !isVowel(word, at - 1);
    default:
      return false;
  }
}

function hasVowel(word: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (isVowel(word, at)) return true;
  return false;
}

/** How often a vowel is followed by a consonant. */
function measure(word: string, end: number): number {
  let count = 0;
  let wasVowel = false;
  for (let at = 0; at < end; at++) {
    const code = word.charCodeAt(at);
    const now: boolean =
      code === 121
        ? at > 0 && !wasVowel
        : code === 97 || code === 101 || code === 105 || code === 111 || code === 117;
    if (wasVowel && !now) count++;
    wasVowel = now;
  }
  return count;
}

const endsDouble = (word: string): boolean =>
  word.length > 1 && word.at(-1) === word.at(-2) && !isVowel(word, word.length - 1);

/** Whether the part ends with consonant, vowel and a consonant other than w, x and y. */
const endsShort = (word: string, end: number): boolean =>
  end > 2 &&
  !isVowel(word, end - 1) &&
  isVowel(word, end - 2) &&
  !isVowel(word, end - 3) &&
  !/[wxy]/.test(word[end - 1] ?? '');
