import { chainOf, type CommandPart, plainRedirects } from './command-chain.ts';
import { argvOf, whyNoProgram, wordsOf } from './command-words.ts';
import { isReadOnly } from './read-only-commands.ts';

/** A command, or why it was refused, as a message for the model. */
export type ParsedCommand = ParsedLine | { refused: string };

export interface ParsedLine {
  /** The program and arguments of the first part. */
  argv: string[];
  /** All parts, if there is more than one program with its arguments. */
  parts?: CommandPart[];
  /** The directory of a leading `cd DIRECTORY &&`. */
  directory?: string;
}

/** The programs of a command with their arguments, in order. */
export const argvsOf = ({ argv, parts }: ParsedLine): string[][] => parts?.map((part) => part.argv) ?? [argv];

/** Well below the longest single argument of Linux (MAX_ARG_STRLEN). */
const MAX_LENGTH = 32_000;

/** Invisible characters, and those that make a text look like another one. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u;

const redirected =
  'There is no shell here, so no redirections (> < <<). The output comes back to you; files are written with the file tools';
const moreThanWords = 'The command contains more than words: leave out comments and shell syntax';

/**
 * Parses a command of plain words and quoted strings, or several read-only ones, connected by pipes and `&&`. Refuses
 * everything that any shell could interpret differently, so that exactly the parsed words run.
 */
export function parseCommand(text: string): ParsedCommand {
  if (text.length > MAX_LENGTH)
    return refuse(`The command is longer than ${MAX_LENGTH} characters. Write a file with the file tools`);
  const found = invisible.exec(text)?.[0];
  if (found !== undefined)
    return refuse(
      `The command contains ${describeCharacter(found)}. Send one line of visible characters; write multi-line text to a file with the file tools`,
    );
  const parts = partsOf(text);
  return typeof parts === 'string' ? refuse(parts) : lineOf(parts);
}

const refuse = (refused: string): ParsedCommand => ({ refused });

const describeCharacter = (character: string): string => {
  if (character === '\n' || character === '\r') return 'a line break';
  if (character === '\t') return 'a tab';
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
};

/** The parts of a text in which nothing but words, operators and plain redirections is written, or why it is refused. */
function partsOf(text: string): CommandPart[] | string {
  const chain = chainOf(text);
  if (typeof chain === 'string') return chain;
  const parts: CommandPart[] = [];
  let at = 0;
  /** Whether the text up to a position is this operator, if any, among spaces. */
  const skip = (to: number, operator = '') => {
    const gap = text.slice(at, to);
    return gap.trim() === operator && /^[ |&]*$/.test(gap);
  };
  for (const [index, command] of chain.commands.entries()) {
    const operator = chain.operators[index - 1];
    const redirects = plainRedirects(command, text, chain.operators[index]);
    if (!redirects) return redirected;
    const words = wordsOf(command);
    if (typeof words === 'string') return words;
    for (const [position, word] of words.entries()) {
      if (!skip(word.pos, position === 0 ? operator : '')) return moreThanWords;
      at = word.end;
    }
    const argv = argvOf(words, text);
    if (typeof argv === 'string') return argv;
    for (const { pos, end } of command.redirects) {
      // Without a space, the number before the arrow belongs to the word.
      if (pos === at || !skip(pos)) return redirected;
      at = end;
    }
    const isDirectory = index === 0 && argv[0] === 'cd' && chain.operators[0] === '&&';
    const reason = isDirectory ? undefined : whyNoProgram(argv, words[0]?.text ?? '');
    if (reason !== undefined) return reason;
    parts.push({
      argv,
      redirects,
      ...(operator !== undefined && { operator: operator === '|' ? '|' : '&&' }),
    });
  }
  return skip(text.length) ? parts : moreThanWords;
}

function lineOf(all: CommandPart[]): ParsedCommand {
  const [start, ...others] = all;
  const isDirectory = start?.argv[0] === 'cd';
  const [first, ...rest] = isDirectory ? others : all;
  if (!start || !first) return refuse('The command is empty');
  if (
    isDirectory &&
    (start.argv.length !== 2 || start.argv[1]?.startsWith('-') || start.redirects.length > 0)
  )
    return refuse('There is no shell here, and cd takes one folder');
  const parts = [{ argv: first.argv, redirects: first.redirects }, ...rest];
  const other = parts.length > 1 ? parts.find(({ argv }) => !isReadOnly(argv)) : undefined;
  if (other)
    return refuse(
      `There is no shell here, so pipes (|) and lists (&&) are for programs that only read, and ${other.argv[0]} may do more. Make one call for each command`,
    );
  const isPlain = parts.length === 1 && first.redirects.length === 0;
  return {
    argv: first.argv,
    ...(!isPlain && { parts }),
    ...(isDirectory && start.argv[1] !== undefined && { directory: start.argv[1] }),
  };
}
