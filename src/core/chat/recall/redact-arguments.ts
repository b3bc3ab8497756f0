const MAX_WORDS = 3;
const MAX_PROGRAM = 40;
/** Maximum length of a path segment, and of a word in it. */
const MAX_NAME = 40;
const MAX_WORD = 20;

/** Programs whose arguments are mostly names. The arguments of other programs may be passwords. */
const knownPrograms = new Set(
  [
    'git gh make just cmake docker podman kubectl helm terraform npm npx pnpm yarn bun node deno',
    'tsc vitest jest eslint prettier cargo rustc go python pip uv poetry pytest ruff ruby bundle',
    'rake java mvn gradle gradlew dotnet php composer swift ls cat mkdir rm',
  ]
    .join(' ')
    .split(' '),
);

/** After the first argument only these words, the script name after `run`, and paths are kept. */
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
/** Programs where `run` is followed by a script name rather than by arguments. */
const scriptRunners = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno', 'composer', 'uv', 'poetry']);

/** A shell command reduced to its program and, for known programs, the leading arguments that cannot hold a secret. */
export function redactCommand(command: string): string {
  const [executable = '', ...rest] = command.trim().split(/\s+/);
  const program = executable.split('/').at(-1) ?? '';
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

/** The URL without credentials, query and fragment, and with path segments that may be keys masked. */
export function redactUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return '';
  const segments = parsed.pathname.split('/').map((segment) => (isNameOrVersion(segment) ? segment : '…'));
  return `${parsed.origin}${segments.join('/')}`;
}

const isPath = (word: string): boolean => word.includes('/') || /\w\.[a-z]{1,5}$/.test(word);

/** A path or a plain name; never a URL, which may contain credentials. */
const isName = (word: string): boolean =>
  /^@?[./\w:+-]*$/.test(word) &&
  !word.startsWith('-') &&
  !(word.includes(':') && word.includes('/')) &&
  word.split('/').every(isNameOrVersion);

const isNameOrVersion = (segment: string): boolean =>
  /^v\d{1,2}$/.test(segment) || (segment.length <= MAX_NAME && segment.split(/[-_.:@+]/).every(isWord));

/** A short word or a number. Digits between letters, irregular capitals and missing vowels suggest a key. */
function isWord(part: string): boolean {
  if (/^\d{0,4}$/.test(part)) return true;
  if (!/^[A-Za-z]+$/.test(part) || part.length > MAX_WORD) return false;
  const capitals = part.match(/[A-Z]/g)?.length ?? 0;
  if (capitals < part.length && capitals > 1 + part.length / 5) return false;
  return part.length <= 5 || /[aeiouy]/i.test(part);
}
