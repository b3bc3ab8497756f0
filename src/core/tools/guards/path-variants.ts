/** Look-alikes of dots and slashes that NFKC does not fold. */
const lookAlikes: [RegExp, string][] = [
  [/[\u3002\ua4f8\u0701\u0702]/g, '.'],
  [/[\u2044\u2215\u29f8\u2571]/g, '/'],
  [/[\u2216\u29f5\u29f9\u2572]/g, '\\'],
];

/** Invalid encodings that some decoders accept. */
const wrongEncodings: [RegExp, string][] = [
  [/%(?:25)+(?=[0-9a-f]{2}|u[0-9a-f]{4}|c0|c1|e0|f0)/gi, '%'],
  [/%c0%ae|%c0%2e|%e0%80%ae|%f0%80%80%ae|%u002e|%uff0e/gi, '.'],
  [/%c0%af|%c0%2f|%e0%80%af|%f0%80%80%af|%u002f|%uff0f|%u2215|%u2044/gi, '/'],
  [/%c1%9c|%c0%5c|%e0%81%9c|%u005c|%uff3c/gi, '\\'],
];

/** Deeper nesting would need more characters than a path may have. */
const MAX_DECODINGS = 10;

/** All texts that a program may get by decoding this one, starting with the text itself. */
export function textVariants(text: string): string[] {
  const variants = new Set<string>();
  let current = text;
  for (let count = 0; count < MAX_DECODINGS; count++) {
    if (variants.has(current)) break;
    variants.add(current);
    variants.add(fold(current));
    current = decodePercent(fold(current));
  }
  // Some programs stop at an encoded NUL, others read on.
  return [...variants].flatMap((variant) => (variant === text ? [text] : variant.split('\0')));
}

const replaceAll = (text: string, rules: [RegExp, string][]) =>
  rules.reduce((changed, [from, to]) => changed.replace(from, to), text);

const fold = (text: string) =>
  replaceAll(text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''), lookAlikes);

const decodePercent = (text: string) =>
  replaceAll(text, wrongEncodings).replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );

/** Whether a path has a parent segment, in any encoding. */
export const hasParentSegment = (path: string): boolean =>
  textVariants(path).some((variant) => variant.split(/[/\\]/).some((segment) => segment.trim() === '..'));

// In a word such as --out=../x or -I.., the characters around the dots distinguish a parent directory from main..next.
const PARENT_AND_MORE = /(?:^|[^\p{L}\p{N}_.*?+\]}])\.\.[/\\]/u;
const PARENT_AT_END = /(?:^|[/\\=:,;@"'({<>|&])\.\.(?=$|[:,;"'=)])/;
const PARENT_AFTER_FLAG = /^-[A-Za-z]+\.\.(?:[/\\]|$)/;

/** Whether a word of a command may name a parent directory. */
export const mayHoldParent = (word: string): boolean =>
  textVariants(word).some((variant) =>
    [PARENT_AND_MORE, PARENT_AT_END, PARENT_AFTER_FLAG].some((parent) => parent.test(variant)),
  );
