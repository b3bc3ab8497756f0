import { type Command, parse, type Word } from 'unbash';

/** A command as argv, or why it was refused, as a message for the model. */
export type ParsedCommand = { argv: string[] } | { refused: string };

/** Well below the longest single argument of Linux (MAX_ARG_STRLEN). */
const MAX_LENGTH = 32_000;

/** Invisible characters, and those that make a text look like another one. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u;

/** A piece of a word that means the same in every shell; `~` and `^` only as in HEAD~1 and HEAD^. */
const piece =
  /(?<plain>(?:[\p{L}\p{M}\p{N}_./:@%+,=-]|(?<=[\w@~^])[~^])+)|\\(?<escaped>[ -~])|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`!]|\\[\\"$`]|\\(?![!\\"$`]))*)"/uy;

/** Shell builtins that are not programs. */
const builtins = new Set(
  '. : alias bg bind break builtin cd command continue declare dirs disown eval exec exit export fc fg hash history jobs let local logout popd pushd read readonly return set shift shopt source suspend trap type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
);

/**
 * Parses one simple command of plain words and quoted strings. Refuses everything that any shell could interpret
 * differently, so that exactly the parsed words run.
 */
export function parseCommand(text: string): ParsedCommand {
  if (text.length > MAX_LENGTH)
    return refuse(`The command is longer than ${MAX_LENGTH} characters. Write a file with the file tools`);
  const found = invisible.exec(text)?.[0];
  if (found !== undefined)
    return refuse(
      `The command contains ${describeCharacter(found)}. Send one line of visible characters; write multi-line text to a file with the file tools`,
    );
  const command = simpleCommand(text);
  if (typeof command === 'string') return refuse(command);
  const words = wordsOf(command);
  if (typeof words === 'string') return refuse(words);
  const gaps = [0, ...words.map(({ end }) => end)].map((end, index) =>
    text.slice(end, words[index]?.pos ?? text.length),
  );
  if (!gaps.every((gap) => /^ *$/.test(gap)))
    return refuse('The command contains more than words: leave out comments and shell syntax');
  const argv: string[] = [];
  for (const word of words) {
    const source = text.slice(word.pos, word.end);
    const value = readWord(source);
    if (value === undefined) return refuse(explain(source));
    if (value !== word.value) return refuse(`${source} can be read in two ways. Put it into single quotes`);
    argv.push(value);
  }
  return checkProgram(argv, words[0]?.text ?? '');
}

const refuse = (refused: string): ParsedCommand => ({ refused });

const describeCharacter = (character: string): string => {
  if (character === '\n' || character === '\r') return 'a line break';
  if (character === '\t') return 'a tab';
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
};

/** The single command of the text, or why it is refused. */
function simpleCommand(text: string): Command | string {
  const script = parse(text);
  if (text.trim() === '') return 'The command is empty';
  if (script.errors?.length)
    return `The command is not complete (${script.errors[0]?.message}). Close every quote, and write no shell syntax`;
  const [statement, ...others] = script.commands;
  if (!statement || others.length > 0 || statement.command.type === 'AndOr')
    return 'There is no shell here, so no lists (; && ||). Make one call for each command';
  if (statement.background) return 'Commands cannot run in the background (&). Leave it out';
  if (statement.command.type === 'Command') return statement.command;
  return statement.command.type === 'Pipeline' && statement.command.commands.length > 1
    ? 'There is no shell here, so no pipes (|). Make one call for each command, and process the output yourself'
    : 'There is no shell here, so no loops, conditions, groups or other shell syntax. Send one program with its arguments';
}

function wordsOf({ name, prefix, suffix, redirects }: Command): Word[] | string {
  if (redirects.length > 0)
    return 'There is no shell here, so no redirections (> < <<). The output comes back to you; files are written with the file tools';
  if (prefix.length > 0 || !name)
    return 'Variables cannot be set before a command. Leave the assignment out; env is a program, if you need one';
  const words = [name, ...suffix];
  return words.every((word) => word.type === 'Word')
    ? words
    : `${name.value} is part of a shell, and there is none here`;
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

function checkProgram(argv: string[], source: string): ParsedCommand {
  const [program = ''] = argv;
  if (program === 'cd') return refuse('There is no shell here, so no cd: name the folder in cwd');
  if (builtins.has(program)) return refuse(`${program} is part of a shell, and there is none here`);
  if (program === '' || program.startsWith('-') || source.includes('='))
    return refuse(`${source.slice(0, 100)} is not the name of a program`);
  return { argv };
}
