import { posix } from 'node:path';
import { isInside, realPlace } from '../../paths/real-path.ts';
import { ToolFailure } from '../tool.ts';
import { fileWords } from './command-words.ts';
import type { GuardedCall } from './guard.ts';
import { type PossiblePath, possiblePaths, wholePath } from './possible-paths.ts';

/** A text of a call that may lead to a file. */
export interface Word {
  text: string;
  /** `word`: of a command. `path`: of an argument that is called like one. `value`: of any other argument. */
  as: 'word' | 'path' | 'value';
}

/** Keys of arguments that hold paths, in the words that servers use. */
const PATH_KEY =
  /path|file|dir(?!ect(?!or))|folder|root|uri|src|source|dest|target|cwd|location|workspace|repo|glob|include/i;
const MAX_WORDS = 10_000;
const PROGRAM_FOLDERS = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
  '/snap/bin',
];

/** What a call holds besides the paths that it declares: the words of its command, the arguments for an MCP server. */
export function wordsOfCall({ access, args, tool }: GuardedCall): Word[] {
  const words: Word[] = [];
  if (access.command) {
    const { argv } = access.command;
    for (const text of [...programWord(argv), ...fileWords(argv)]) words.push({ text, as: 'word' });
  }
  if (tool.server !== undefined) collect(args, words);
  return words;
}

/** The paths that a word may hold. A text of another kind counts only as a whole, else none with a slash could be sent. */
export function pathsOfWord({ text, as }: Word): PossiblePath[] | undefined {
  if (as === 'value') return wholePath(text, 'text');
  return as === 'path' && text.includes('\n') ? wholePath(text, 'path') : possiblePaths(text);
}

/** The real folder from which the words of a call start. */
export const folderOfWords = ({ access, context }: GuardedCall): Promise<string> =>
  access.command ? realPlace(context.workspace, access.command.cwd) : Promise.resolve(context.workspace);

/** The program, where it is not one of those that are installed. */
const programWord = ([program = '']: string[]) =>
  program.includes('/') && !PROGRAM_FOLDERS.some((folder) => isInside(folder, posix.normalize(program)))
    ? [program]
    : [];

function collect(args: unknown, into: Word[]): void {
  // A stack of its own: arguments may be nested as deep as their sender likes.
  const ahead = [{ value: args, isPath: false }];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { value, isPath } = next;
    if (typeof value === 'string') into.push({ text: value, as: isPath ? 'path' : 'value' });
    if (into.length > MAX_WORDS) throw new ToolFailure('The arguments hold too many texts to be checked');
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value))
      ahead.push({ value: item, isPath: isPath || (!isList && PATH_KEY.test(key)) });
  }
}
