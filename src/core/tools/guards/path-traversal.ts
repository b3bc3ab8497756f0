import { lstat } from 'node:fs/promises';
import { relative } from 'node:path';
import { codeOf } from '../../paths/file-failure.ts';
import { isInGitFolder, isRunByGit } from '../../paths/git-folder.ts';
import { isInside, realPlace } from '../../paths/real-path.ts';
import { quoteText } from '../../text/show-name.ts';
import { isToolFailure } from '../tool.ts';
import type { Guard, GuardedCall } from './guard.ts';
import { hasParentSegment, mayHoldParent } from './path-spellings.ts';
import type { PossiblePath } from './possible-paths.ts';
import { folderOfWords, pathsOfWord, type Word, wordsOfCall } from './words-of-call.ts';

/** Programs read and write nothing there. */
const HARMLESS = ['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr'];

/**
 * Keeps a call in its workspace, by the place that each path really leads to. It also keeps tools from writing into `.git`,
 * where hooks and settings run programs; the tools for files have that check themselves, too, for when this guard is off.
 */
export const pathTraversal: Guard = {
  name: 'path-traversal',
  async check(call) {
    try {
      return checkPaths(call) ?? (await checkWords(call));
    } catch (error) {
      if (isToolFailure(error)) return error.message;
      throw error;
    }
  },
};

function checkPaths({ paths, context }: GuardedCall): string | undefined {
  for (const { given, does, real } of paths) {
    if (hasParentSegment(given)) return `${quoteText(given)} has a parent-directory segment`;
    if (HOME.test(given) || WINDOWS.test(given) || !isInside(context.workspace, real)) return leadsOut(given);
    if (does === 'write' && isInGitFolder(real)) return inGit(given);
  }
  return undefined;
}

async function checkWords(call: GuardedCall): Promise<string | undefined> {
  const words = wordsOfCall(call);
  const base = await folderOfWords(call);
  if (!isInside(call.context.workspace, base)) return leadsOut(call.access.command?.cwd ?? base);
  for (const word of words) {
    const reason = await checkWord(word, base, call);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function checkWord(word: Word, base: string, call: GuardedCall): Promise<string | undefined> {
  const { text, as } = word;
  const isParent =
    as === 'word'
      ? mayHoldParent(text)
      : as === 'path'
        ? hasParentSegment(text) || mayHoldParent(text)
        : !text.includes('\n') && hasParentSegment(text);
  if (isParent) return `${quoteText(text)} has a parent-directory segment`;
  const possible = pathsOfWord(word);
  if (!possible) return `${quoteText(text)} may hold too many paths to be checked`;
  const { workspace } = call.context;
  for (const one of possible) {
    if (HARMLESS.includes(one.path)) continue;
    if (isHome(one)) return leadsOut(text);
    const place = await realPlace(base, one.path);
    if (!isInside(workspace, place) && (await isMeant(one))) return leadsOut(text);
    const isAddress = as === 'value' || one.as === 'url';
    if (!call.tool.isReadOnly && !isAddress && isRunByGit(relative(workspace, place))) return inGit(text);
  }
  return undefined;
}

const HOME = /^~([a-z_][\w-]*)?(\/|$)|^\$\{?HOME\b/i;
const WINDOWS = /^[a-z]:[/\\]|^\\\\/i;

const isHome = ({ path, as }: PossiblePath) => HOME.test(path) && (as === 'path' || path.includes('/'));

/** Whether a place outside is more than a text with a slash, such as an address on a web server. */
async function isMeant({ path, as }: PossiblePath): Promise<boolean> {
  if (as !== 'text' || !path.startsWith('/')) return true;
  const top = path.split('/').find((segment) => segment !== '');
  if (top === undefined) return false;
  try {
    await lstat(`/${top}`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENAMETOOLONG') return false;
    throw error;
  }
}

const leadsOut = (text: string) => `${quoteText(text)} leads out of the workspace`;
const inGit = (text: string) =>
  `${quoteText(text)} is in a .git folder, where hooks and settings run programs`;
