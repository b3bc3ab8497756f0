/** Words that stand for a secret in examples, schemas and local set-ups. */
const placeholders =
  /^(?:x{3,}|\*{3,}|\.{3,}|-{3,}|_{3,}|string|number|boolean|object|null|nil|none|undefined|true|false|required|optional|(?:your|my|the|some|a|an)[_-]?.{0,60}|(?:change|replace|fill|insert|enter|put|add)[_-]?(?:me|this|it|in|here|your).{0,60}|todo.{0,20}|example.{0,40}|sample.{0,40}|dummy.{0,40}|fake.{0,40}|mock.{0,40}|placeholder.{0,40}|redacted.{0,20}|masked.{0,20}|secret|password|passwort|passwd|pass|token|test|testing|admin|root|user|guest|default|postgres|mysql|redis|rabbitmq|mongo|minio|minioadmin|local|localhost|dev|development|docker|foo|bar|baz|qwerty|letmein|hunter2?)$/i;
/** References to where the secret is kept, code, and other texts that are no literal. */
const references =
  /^(?:\$|%|@|<|\{|\[|\(|!|&|~\/|\.{0,2}\/|[A-Za-z]:\\|process\.|os\.|env[.(:[]|ENV\[|secrets?\.|vault:|ssm:|arn:|op:\/\/|file:|https?:\/\/[^@]*$|self\.|this\.|config\.|settings\.|var\.|data\.|local\.|module\.|function\b|return\b|await\b|new\b)|\$\{|\{\{|\}\}|\(\)|\s/;

/** Whether a value next to a key that says secret looks like a real one. */
export const isRealSecret = (value: string): boolean =>
  value.length >= 6 &&
  value.length <= 500 &&
  !placeholders.test(value) &&
  !references.test(value) &&
  !isOneCharacter(value);

const isOneCharacter = (value: string) => new Set(value).size <= 2;

/** Whether a text is as random as keys and tokens are, and words, names and paths are not. */
export function isRandomText(value: string): boolean {
  const isHex = /^[0-9a-f]+$/i.test(value);
  const isMixed = /\d/.test(value) && /[a-z]/i.test(value);
  return isMixed && entropyOf(value) >= (isHex ? 3 : 3.7);
}

/** Bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
