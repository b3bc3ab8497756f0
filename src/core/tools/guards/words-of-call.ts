import { posix } from 'node:path';
import { isInside, resolveRealPath } from '../../paths/real-path.ts';
import { ToolFailure } from '../tool.ts';
import { fileWords } from './file-words.ts';
import type { GuardedCall } from './guard.ts';
import { type PossiblePath, possiblePaths, wholePath } from './possible-paths.ts';

/** A text of a call that may refer to a file. */
export interface Word {
  text: string;
  /** `word`: of a command. `path`: of an argument whose name suggests a path. `value`: of any other argument. */
  as: 'word' | 'path' | 'value';
}

/** Names of arguments with paths, as MCP servers commonly use them. */
const PATH_KEY =
  /path|file|dir(?!ect(?!or))|folder|root|uri|src|source|dest|target|cwd|location|workspace|repo|glob|include/i;
const MAX_WORDS = 10_000;
const PROGRAM_DIRECTORIES = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
  '/snap/bin',
];

/** The texts of a call besides its declared paths: the words of its command, and the arguments for an MCP server. */
export function wordsOfCall({ access, args, tool }: GuardedCall): Word[] {
  const words: Word[] = [];
  if (access.command) {
    const { argv: only, parts } = access.command;
    for (const argv of parts?.map((part) => part.argv) ?? [only])
      for (const text of [...programWord(argv), ...fileWords(argv)]) words.push({ text, as: 'word' });
  }
  if (tool.server !== undefined) collect(args, words);
  return words;
}

/** The paths that a word may contain. Other argument values count only as a whole, or texts with a slash would be refused. */
export function pathsOfWord({ text, as }: Word): PossiblePath[] | undefined {
  if (as === 'value') return wholePath(text, 'text');
  return as === 'path' && text.includes('\n') ? wholePath(text, 'path') : possiblePaths(text);
}

/** The real directory that relative words of a call start at. */
export const baseDirectoryOf = ({ access, context }: GuardedCall): Promise<string> =>
  access.command
    ? resolveRealPath(context.workspace, access.command.cwd)
    : Promise.resolve(context.workspace);

/** The program, unless it is in one of the system directories. */
const programWord = ([program = '']: string[]) =>
  program.includes('/') &&
  !PROGRAM_DIRECTORIES.some((directory) => isInside(directory, posix.normalize(program)))
    ? [program]
    : [];

function collect(args: unknown, into: Word[]): void {
  // An explicit stack, because arguments may be nested to any depth.
  const pending = [{ value: args, isPath: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, isPath } = next;
    if (typeof value === 'string') into.push({ text: value, as: isPath ? 'path' : 'value' });
    if (into.length > MAX_WORDS) throw new ToolFailure('The arguments contain too many texts to be checked');
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value))
      pending.push({ value: item, isPath: isPath || (!isList && PATH_KEY.test(key)) });
  }
}
