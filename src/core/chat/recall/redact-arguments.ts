const MAX_WORDS = 3;
const MAX_PROGRAM = 40;
/** Of one part of a path, and of one word of it, in characters. */
const MAX_NAME = 40;
const MAX_WORD = 20;

/** Programs of which the words behind are mostly names: of others anything may be a password. */
const knownPrograms = new Set(
  [
    'git gh make just cmake docker podman kubectl helm terraform npm npx pnpm yarn bun node deno',
    'tsc vitest jest eslint prettier cargo rustc go python pip uv poetry pytest ruff ruby bundle',
    'rake java mvn gradle gradlew dotnet php composer swift ls cat mkdir rm',
  ]
    .join(' ')
    .split(' '),
);

/** What comes after the first word is only kept where it is one of these, the name after `run`, or a path. */
const commonWords = new Set(
  [
    'add apply audit build check ci clean compile compose create delete describe diff down exec',
    'fetch fmt format generate get init install lint list log logs ls merge pop prune publish',
    'pull push remove restart rm rollout run serve show start status stop sync test tidy undo up',
    'update upgrade watch',
  ]
    .join(' ')
    .split(' '),
);
/** Where `run` is followed by the name of a script, and not by what the script is told. */
const scriptRunners = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno', 'composer', 'uv', 'poetry']);

/** The program, and of a known one what it was told to do: among the rest may be what nobody should keep. */
export function commandWords(command: string): string {
  const [given = '', ...rest] = command.trim().split(/\s+/);
  const program = given.split('/').at(-1) ?? '';
  if (!/^[\w.+-]+$/.test(program) || program.length > MAX_PROGRAM) return '';
  const name = program.replace(/(?<=[a-z])[\d.]+$/, '');
  const kept = [program];
  if (!knownPrograms.has(name)) return program;
  for (const word of rest.slice(0, MAX_WORDS)) {
    const isScript = scriptRunners.has(name) && kept.length === 2 && kept[1] === 'run';
    const isExpected = kept.length === 1 || commonWords.has(word) || isScript || isPath(word);
    if (!isExpected || !isName(word)) break;
    kept.push(word);
  }
  return kept.join(' ');
}

/** Where a page is, without the name, password, query and fragment, and without what may be a key in its path. */
export function redactUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return '';
  const segments = parsed.pathname.split('/').map((segment) => (isNameOrVersion(segment) ? segment : '…'));
  return `${parsed.origin}${segments.join('/')}`;
}

const isPath = (word: string): boolean => word.includes('/') || /\w\.[a-z]{1,5}$/.test(word);

/** A path or a name of words alone; no address, in which a name and password may be. */
const isName = (word: string): boolean =>
  /^@?[./\w:+-]*$/.test(word) &&
  !word.startsWith('-') &&
  !(word.includes(':') && word.includes('/')) &&
  word.split('/').every(isNameOrVersion);

const isNameOrVersion = (segment: string): boolean =>
  /^v\d{1,2}$/.test(segment) || (segment.length <= MAX_NAME && segment.split(/[-_.:@+]/).every(isWord));

/** A short word, a year or the like; digits among letters, wild capitals and no vowels are what keys look like. */
function isWord(part: string): boolean {
  if (/^\d{0,4}$/.test(part)) return true;
  if (!/^[A-Za-z]+$/.test(part) || part.length > MAX_WORD) return false;
  const capitals = part.match(/[A-Z]/g)?.length ?? 0;
  if (capitals < part.length && capitals > 1 + part.length / 5) return false;
  return part.length <= 5 || /[aeiouy]/i.test(part);
}
