import { tokenPrefix } from '../../../contract/scopes.ts';

/** Beginnings and shapes that vendors give their keys, so that such leaks are found. */
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
  ['a signed token', /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g],
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
const told = new RegExp(
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

/** What kind of secret the text seems to hold, if any. */
export function findSecret(given: string): string | undefined {
  // What cannot be seen must not hide one.
  const text = given.normalize('NFKC').replaceAll(/\p{Cf}/gu, '');
  for (const [what, pattern] of shapes)
    for (const [match] of text.matchAll(pattern)) if (!isPlaceholder(match.slice(4))) return what;
  for (const [, password = ''] of text.matchAll(urlLogin))
    if (!isPlaceholder(password)) return 'a password in an address';
  for (const [, name = '', sign = '', word = ''] of text.matchAll(assigned))
    if (isGiven(name, word, sign !== ':')) return nameOf(name);
  for (const [, name = '', word = ''] of text.matchAll(told))
    if (isGiven(name, word, false)) return nameOf(name);
  for (const [, name = '', word = ''] of text.matchAll(option))
    if (isGiven(name, word, false)) return nameOf(name);
  for (const [, word = ''] of text.matchAll(basicLogin)) if (!isPlaceholder(word)) return 'a password';
  for (const [, word = ''] of text.matchAll(header)) if (isMixed(word, 8)) return 'an access token';
  for (const { 0: word, index } of text.matchAll(long))
    if (isRandom(word) && nearby.test(text.slice(Math.max(0, index - NEAR), index + word.length + NEAR / 2)))
      return 'a key';
  return undefined;
}

const isPassword = (name: string) => /^(?:pass|pwd|kennwort|contra|mot)/iu.test(name);
const nameOf = (name: string) => (isPassword(name) ? 'a password' : 'a key or token');

/** Whether a value is given, and not spoken of: what stands after a colon or "is" may be any word. */
function isGiven(name: string, given: string, isAssignment: boolean): boolean {
  const word = given.replace(/[.!?:]+$/, '');
  if (isPlaceholder(word) || isCode(name, word)) return false;
  if (isPassword(name)) return isAssignment || isMixed(word, 6);
  if (isName(word)) return false;
  return isMixed(word, 8) || (isAssignment && /^[\w+/=-]{20,}$/.test(word));
}

/** Letters with digits or signs between, as nobody writes in a sentence. */
const isMixed = (word: string, min: number) =>
  word.length >= min &&
  /\p{L}/u.test(word) &&
  (/\d/.test(word) || /[!$%&*+?@^~]/.test(word)) &&
  !isPlaceholder(word);

/** What stands where a secret would: `<token>`, `$TOKEN`, `${TOKEN}`, `***`, `xxxx`, `...`. */
const isPlaceholder = (word: string): boolean =>
  /^(?:[$%<[{].*|[*•.…_-]+|.*\*{3}.*|.*\.\.\.|x[x._-]*)$/isu.test(word) ||
  /^(?:your|my|the|some|example|dummy|placeholder|redacted|hidden|masked|removed)[-_]/i.test(word) ||
  /^(?:null|none|undefined|true|false|nil|string|text|redacted|hidden|masked|required|optional|empty|value)$/i.test(
    word,
  );

/** A name in a program: the same word again, a path to a value, or the name of a variable. */
const isCode = (name: string, word: string): boolean =>
  word.toLowerCase().replaceAll(/[_-]/g, '').endsWith(name.toLowerCase().replaceAll(/[ _-]/g, '')) ||
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(word) ||
  /^[a-z_$][\w$]*(?:\??\.[a-z_$][\w$]*|\[)/i.test(word) ||
  /^(?:\.{0,2}|~)\//.test(word);

/** Words put together: kebab-case, snake_case, camelCase, a path, an id of ours. */
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

/** A long word that no name looks like: many digits among letters, of both cases or hexadecimal. */
function isRandom(word: string): boolean {
  const digits = word.match(/\d/g)?.length ?? 0;
  if (digits < 2 || !/[a-z]/i.test(word) || isName(word) || word.includes('//')) return false;
  const groups = word.match(/\d+/g)?.length ?? 0;
  return groups >= 3 || (groups >= 2 && /[a-z]/.test(word) && /[A-Z]/.test(word));
}
