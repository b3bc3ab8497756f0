import { isSecretName, secretSpans } from '../memory/learned/find-secret.ts';

/** What follows a secret name is one up to this length; anything longer is looked through like any text. */
const MAX_SECRET = 500;
const keyBlock = /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)([^-]{1,20000})/g;
/** What a shell reads as more than a word is never masked, or it could be hidden. */
const partOfWord = /^[^\s|&;<>()`]+$/;

/** Arguments as they may be shown: secrets are masked, with their length, and nothing else is. */
export const maskSecrets = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, maskNamed(value, name)]));

/** The same for any JSON. */
export const maskValue = (value: unknown, name = ''): unknown => maskNamed(value, name);

/** The lines of a text as they may be shown, each at its own place. */
export const maskLines = (text: string): string[] =>
  maskSpans(
    text.replace(
      keyBlock,
      (_, begin: string, body: string) => begin + body.replaceAll(/[^\r\n]+/g, (line) => mask(line)),
    ),
  ).split('\n');

function maskNamed(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    const isSecret =
      isSecretName(name) && value !== '' && value.length <= MAX_SECRET && !value.includes('\n');
    return isSecret ? mask(value) : maskText(value);
  }
  if (Array.isArray(value)) return value.map((item) => maskNamed(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskNamed(item, key)]));
}

const maskText = (text: string): string =>
  maskSpans(text.replace(keyBlock, (_, begin: string, body: string) => `${begin}${mask(body)}`));

function maskSpans(text: string): string {
  let masked = '';
  let at = 0;
  for (const { start, end } of secretSpans(text).sort((one, other) => one.start - other.start)) {
    const from = Math.max(start, at);
    const word = text.slice(from, end);
    if (word === '' || !partOfWord.test(word) || word.includes('••••')) continue;
    masked += text.slice(at, from) + mask(word);
    at = end;
  }
  return masked + text.slice(at);
}

const mask = (secret: string) => `••••(${secret.length} characters)`;
const marker = /••••\(\d+ characters\)/;

/** Whether something that was masked is in a JSON text. */
export const hasMasked = (json: string): boolean => marker.test(json);
