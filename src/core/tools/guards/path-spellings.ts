/** Dots and slashes that a careless program takes for ours; most others fold by themselves. */
const lookAlikes: [RegExp, string][] = [
  [/[\u3002\ua4f8\u0701\u0702]/g, '.'],
  [/[\u2044\u2215\u29f8\u2571]/g, '/'],
  [/[\u2216\u29f5\u29f9\u2572]/g, '\\'],
];

/** Encodings that are wrong, and that some decoders take. */
const wrongEncodings: [RegExp, string][] = [
  [/%(?:25)+(?=[0-9a-f]{2}|u[0-9a-f]{4}|c0|c1|e0|f0)/gi, '%'],
  [/%c0%ae|%c0%2e|%e0%80%ae|%f0%80%80%ae|%u002e|%uff0e/gi, '.'],
  [/%c0%af|%c0%2f|%e0%80%af|%f0%80%80%af|%u002f|%uff0f|%u2215|%u2044/gi, '/'],
  [/%c1%9c|%c0%5c|%e0%81%9c|%u005c|%uff3c/gi, '\\'],
];

/** Deeper nesting needs more characters than a path may have. */
const MAX_DECODINGS = 10;

/** All that a text may be to a program that decodes it, itself first. */
export function spellingsOf(text: string): string[] {
  const spellings = new Set<string>();
  let current = text;
  for (let round = 0; round < MAX_DECODINGS; round++) {
    if (spellings.has(current)) break;
    spellings.add(current);
    spellings.add(fold(current));
    current = decodePercent(fold(current));
  }
  // What comes behind an encoded NUL is cut off by some, and read on by others.
  return [...spellings].flatMap((spelling) => (spelling === text ? [text] : spelling.split('\0')));
}

const replaceAll = (text: string, rules: [RegExp, string][]) =>
  rules.reduce((changed, [from, to]) => changed.replace(from, to), text);

const fold = (text: string) =>
  replaceAll(text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''), lookAlikes);

const decodePercent = (text: string) =>
  replaceAll(text, wrongEncodings).replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );

/** Whether a path has a parent segment, in whatever spelling. */
export const hasParentSegment = (path: string): boolean =>
  spellingsOf(path).some((spelling) => spelling.split(/[/\\]/).some((segment) => segment.trim() === '..'));

// In a word that is not only a path, such as --out=../x or -I.., what stands around the dots tells a parent from main..next.
const PARENT_AND_MORE = /(?:^|[^\p{L}\p{N}_.*?+\]}])\.\.[/\\]/u;
const PARENT_AT_END = /(?:^|[/\\=:,;@"'({<>|&])\.\.(?=$|[:,;"'=)])/;
const PARENT_AFTER_FLAG = /^-[A-Za-z]+\.\.(?:[/\\]|$)/;

/** Whether a word of a command may name a parent folder. */
export const mayHoldParent = (word: string): boolean =>
  spellingsOf(word).some((spelling) =>
    [PARENT_AND_MORE, PARENT_AT_END, PARENT_AFTER_FLAG].some((parent) => parent.test(spelling)),
  );
