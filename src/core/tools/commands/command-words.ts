import type { Command, Word } from 'unbash';

/** A piece of a word that means the same in every shell; `~` and `^` only as in HEAD~1 and HEAD^. */
const piece =
  /(?<plain>(?:[\p{L}\p{M}\p{N}_./:@%+,=-]|(?<=[\w@~^])[~^])+)|\\(?<escaped>[ -~])|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`!]|\\[\\"$`]|\\(?![!\\"$`]))*)"/uy;

/** Shell builtins that are not programs. */
const builtins = new Set(
  '. : alias bg bind break builtin cd command continue declare dirs disown eval exec exit export fc fg hash history jobs let local logout popd pushd read readonly return set shift shopt source suspend trap type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
);

/** The words of a command, or why it is refused. */
export function wordsOf({ name, prefix, suffix }: Command): Word[] | string {
  if (prefix.length > 0 || !name)
    return 'Variables cannot be set before a command. Leave the assignment out; env is a program, if you need one';
  // Redirections were checked before, and are read from their own list.
  const words = [name, ...suffix.filter((part) => (part.type as string) !== 'Redirect')];
  return words.every((word) => word.type === 'Word')
    ? words
    : `${name.value} is part of a shell, and there is none here`;
}

/** The argv that the words of a text mean, or why they are refused. */
export function argvOf(words: readonly Word[], text: string): string[] | string {
  const argv: string[] = [];
  for (const word of words) {
    const source = text.slice(word.pos, word.end);
    const value = readWord(source);
    if (value === undefined) return explain(source);
    if (value !== word.value) return `${source} can be read in two ways. Put it into single quotes`;
    argv.push(value);
  }
  return argv;
}

/** Why the first word cannot be run; undefined if it names a program. */
export function whyNoProgram(argv: readonly string[], source: string): string | undefined {
  const [program = ''] = argv;
  if (program === 'cd') return 'There is no shell here, so no cd: name the folder in cwd';
  if (builtins.has(program)) return `${program} is part of a shell, and there is none here`;
  if (program === '' || program.startsWith('-') || source.includes('='))
    return `${source.slice(0, 100)} is not the name of a program`;
  return undefined;
}

/** The value of a word by our own rules, or undefined if they do not cover it completely. */
function readWord(source: string): string | undefined {
  let value = '';
  let position = 0;
  while (position < source.length) {
    piece.lastIndex = position;
    const groups = piece.exec(source)?.groups;
    if (!groups) return undefined;
    position = piece.lastIndex;
    const { plain, escaped, single, double } = groups;
    value += plain ?? escaped ?? single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? '';
  }
  return value;
}

const causes: [RegExp, string][] = [
  [/`|\$\(/, 'Command substitutions do not work: run that command first, and use its output'],
  [/\$/, 'Variables and $-quotes do not work: write the value itself, or put it into single quotes'],
  [/!/, 'An exclamation mark goes into single quotes'],
  [
    /[*?[\]]/,
    'Wildcards do not work: list the files with the file tools, or put the pattern into single quotes',
  ],
  [/[{}]/, 'Braces do not work: write each word, or put it into single quotes'],
  [/~/, 'There is no ~ here: use paths below the workspace'],
];

function explain(source: string): string {
  const cause = causes.find(([pattern]) => pattern.test(source))?.[1];
  return `${source.slice(0, 100)} is more than a plain word. ${cause ?? 'Put it into single quotes'}`;
}
