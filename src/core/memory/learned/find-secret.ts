import { tokenPrefix } from '../../../contract/scopes.ts';

/** Prefixes and formats of vendors' keys. */
const shapes: readonly [what: string, pattern: RegExp][] = [
  [
    'a private key',
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d|\bAGE-SECRET-KEY-1\w{8,}/gi,
  ],
  ['an API key', /\bsk-(?=[\w-]{0,200}\d)[\w-]{8,}|\bsk-[\w-]{20,}/gi],
  ['an API key', /\b(?:sk|pk|rk)_(?:live|test)_\w{8,}/gi],
  [
    'an API key',
    /\b(?:gsk|hf|r8|fw|tgp|npm|dop_v1|shp(?:at|ss|ca)|lin_api|sntrys|dckr_pat|ntn|whsec)_(?=[\w+/]{0,100}\d)[\w+/]{16,}/g,
  ],
  ['an API key', /\b(?:xai|csk|pplx|nvapi|pypi|glpat|dapi|key)-(?=[\w-]{0,200}\d)[\w-]{20,}/g],
  ['an API key', /\bAIza[\w-]{20,}|\bATATT3[\w=-]{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bya29\.[\w-]{16,}/g],
  [
    'an access token',
    /\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}|\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}|\bxapp-[\w-]{8,}|\bhvs\.[\w-]{16,}/gi,
  ],
  ['a cloud access key', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}\b/g],
  ['a signed token', /\beyJ[\w-]{8,500}\.[\w-]{8,}(?:\.[\w-]*)?/g],
  [
    'a token of this daemon',
    new RegExp(`\\b${tokenPrefix}(?=[\\w-]{0,100}\\d)[\\w-]{20,}|\\bpair_[\\w-]{32}(?![\\w-])`, 'g'),
  ],
  ['an access token', /(?<!\d)\d{8,10}:[\w-]{35}(?![\w-])/g],
  [
    'a chat webhook',
    /hooks\.slack\.com\/services\/\w+\/\w+\/\w+|discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{16,}/gi,
  ],
];

const secretName =
  'pass(?:word|wd|phrase|code)?|pwd|secret|(?:secret|private|signing|encryption|access|account|api|auth)[ _-]?key|(?:access|auth|api|refresh|bearer|session|id)?[ _-]?token|credentials?|client[ _-]?secret|passwort|kennwort|contraseña|mot de passe';
const quote = '["\'`]?';
const value = '([^\\s"\'`,;<>(){}]{3,500})';
const assigned = new RegExp(
  `(?<![a-z])(${secretName})${quote}\\s{0,3}(=|:=|=>|:)\\s{0,3}${quote}${value}`,
  'giu',
);
const stated = new RegExp(
  `(?<![a-z])(${secretName})\\s{1,3}(?:is|was|are|ist|est|es)(?: now)?\\s{1,3}${quote}${value}`,
  'giu',
);
const option = new RegExp(`\\s--?(${secretName})[= ]\\s{0,3}${quote}${value}`, 'giu');
const header = /\b(?:authorization\s{0,3}[:=]\s{0,3})?(?:bearer|basic)\s{1,3}([\w.~+/=-]{8,500})/gi;
const basicLogin = /\s(?:-u|--user)[ =]["']?[^\s:"']{1,100}:([^\s"']{3,200})/g;
const urlLogin = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:"'<>]{0,100}:([^\s/@"'<>]{1,300})@/gi;
const long = /[\w+/=-]{20,300}/g;
const nearby = new RegExp(`(?<![a-z])(?:${secretName}|key|bearer|authorization)(?![a-z])`, 'iu');
const NEAR = 40;

/** The kind of secret that a text seems to contain, if any. */
export function findSecret(input: string): string | undefined {
  // Invisible characters must not hide a secret.
  const text = input.normalize('NFKC').replaceAll(/\p{Cf}/gu, '');
  for (const [what, pattern] of shapes)
    for (const [match] of text.matchAll(pattern)) if (!isPlaceholder(match.slice(4))) return what;
  for (const [, password = ''] of text.matchAll(urlLogin))
    if (!isPlaceholder(password)) return 'a password in an address';
  for (const [, name = '', sign = '', word = ''] of text.matchAll(assigned))
    if (isAssignedSecret(name, word, sign !== ':')) return nameOf(name);
  for (const [, name = '', word = ''] of text.matchAll(stated))
    if (isAssignedSecret(name, word, false)) return nameOf(name);
  for (const [, name = '', word = ''] of text.matchAll(option))
    if (isAssignedSecret(name, word, false)) return nameOf(name);
  for (const [, word = ''] of text.matchAll(basicLogin)) if (!isPlaceholder(word)) return 'a password';
  for (const [, word = ''] of text.matchAll(header)) if (isMixed(word, 8)) return 'an access token';
  for (const { 0: word, index } of text.matchAll(long))
    if (isRandom(word) && nearby.test(text.slice(Math.max(0, index - NEAR), index + word.length + NEAR / 2)))
      return 'a key';
  return undefined;
}

const isPassword = (name: string) => /^(?:pass|pwd|kennwort|contra|mot)/iu.test(name);
const nameOf = (name: string) => (isPassword(name) ? 'a password' : 'a key or token');

/** Whether a value is assigned rather than mentioned: any word may follow a colon or "is". */
function isAssignedSecret(name: string, input: string, isAssignment: boolean): boolean {
  const word = input.replace(/(?<![.!?:])[.!?:]+$/, '');
  if (isPlaceholder(word) || isCode(name, word)) return false;
  if (isPassword(name)) return isAssignment || isMixed(word, 6);
  if (isName(word)) return false;
  return isMixed(word, 8) || (isAssignment && /^[\w+/=-]{20,}$/.test(word));
}

/** Letters mixed with digits or symbols, unlike a word in a sentence. */
const isMixed = (word: string, min: number) =>
  word.length >= min &&
  /\p{L}/u.test(word) &&
  (/\d/.test(word) || /[!$%&*+?@^~]/.test(word)) &&
  !isPlaceholder(word);

/** A placeholder: `<token>`, `$TOKEN`, `${TOKEN}`, `***`, `xxxx`, `...`. */
const isPlaceholder = (word: string): boolean =>
  /^(?:[$%<[{].*|[*•.…_-]+|.*\*{3}.*|.*\.\.\.|x[x._-]*)$/isu.test(word) ||
  /^(?:your|my|the|some|example|dummy|placeholder|redacted|hidden|masked|removed)[-_]/i.test(word) ||
  /^(?:null|none|undefined|true|false|nil|string|text|redacted|hidden|masked|required|optional|empty|value)$/i.test(
    word,
  );

/** Code instead of a value: the same name again, a property path, a variable or a file path. */
const isCode = (name: string, word: string): boolean =>
  word.toLowerCase().replaceAll(/[_-]/g, '').endsWith(name.toLowerCase().replaceAll(/[ _-]/g, '')) ||
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(word) ||
  /^[a-z_$][\w$]*(?:\??\.[a-z_$][\w$]*|\[)/i.test(word) ||
  /^(?:\.{0,2}|~)\//.test(word);

/** Composed words: kebab-case, snake_case, camelCase, a path, or one of our ids. */
function isName(word: string): boolean {
  if (
    /^[a-z]+_?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(
      word,
    )
  )
    return true;
  const rest = word.replaceAll(/[A-Z]?[a-z]{3,}/g, (run) => (/[aeiouy]/i.test(run) ? '' : run));
  return rest.replaceAll(/[-_/=.]/g, '').length < word.length * 0.3;
}

/** A long random word: many digits among letters, in both cases or hexadecimal. */
function isRandom(word: string): boolean {
  const digits = word.match(/\d/g)?.length ?? 0;
  if (digits < 2 || !/[a-z]/i.test(word) || isName(word) || word.includes('//')) return false;
  const groups = word.match(/\d+/g)?.length ?? 0;
  return groups >= 3 || (groups >= 2 && /[a-z]/.test(word) && /[A-Z]/.test(word));
}

/** As `long`, without a name before it. */
const longValue = /(?<![\w+/-])[\w+/-]{20,300}={0,2}/g;

/** Where the secrets of a text seem to be. */
export function secretSpans(text: string): { start: number; end: number }[] {
  const words = (pattern: RegExp, isSecret: (word: string, match: RegExpExecArray) => boolean) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const word = match.at(-1) ?? '';
      const end = match.index + match[0].lastIndexOf(word) + word.length;
      return isSecret(word, match) ? [{ start: end - word.length, end }] : [];
    });
  const isShown = (word: string) => !isPlaceholder(word);
  return [
    ...shapes.flatMap(([, pattern]) => words(pattern, (word) => isShown(word.slice(4)))),
    ...words(urlLogin, isShown),
    ...words(assigned, (word, [, name = '', sign = '']) => isAssignedSecret(name, word, sign !== ':')),
    ...words(option, (word, [, name = '']) => isAssignedSecret(name, word, isPassword(name))),
    ...words(basicLogin, isShown),
    ...words(header, (word) => isMixed(word, 8)),
    ...words(longValue, (word, { index }) => {
      const around = text.slice(Math.max(0, index - NEAR), index + word.length + NEAR / 2);
      return isRandom(word) && nearby.test(around);
    }),
  ];
}

/** Whether a name is one of a secret, such as `apiKey`. */
export const isSecretName = (name: string): boolean =>
  new RegExp(`(?:^|[^a-z])(?:${secretName})$`, 'iu').test(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2'));
