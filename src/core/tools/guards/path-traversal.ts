import { lstat } from 'node:fs/promises';
import { relative } from 'node:path';
import { codeOf } from '../../paths/file-errors.ts';
import { isInGitDirectory, isGitHookOrConfig } from '../../paths/git-directory.ts';
import { isInside, resolveRealPath } from '../../paths/real-path.ts';
import { quoteText } from '../../text/escape-invisible.ts';
import { isToolFailure } from '../tool.ts';
import { allowedDirectories, directoryOf } from './allowed-directories.ts';
import type { Guard, GuardedCall } from './guard.ts';
import { hasParentSegment, mayHoldParent } from './path-variants.ts';
import type { PossiblePath } from './possible-paths.ts';
import { baseDirectoryOf, pathsOfWord, type Word, wordsOfCall } from './words-of-call.ts';

/** Device files without content. */
const HARMLESS = ['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr'];

/**
 * Confines a call to its workspace, and one of an MCP server also to the roots of that server, by the real path of
 * everything it names. It also keeps tools from writing into `.git`,
 * where hooks and settings can run programs; file tools check that themselves too, in case this guard is disabled.
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
  for (const { requested, operation, real } of paths) {
    if (hasParentSegment(requested)) return `${quoteText(requested)} has a parent-directory segment`;
    if (HOME.test(requested) || WINDOWS.test(requested) || !isInside(context.workspace, real))
      return outsideWorkspace(requested);
    if (operation === 'write' && isInGitDirectory(real)) return inGit(requested);
  }
  return undefined;
}

async function checkWords(call: GuardedCall): Promise<string | undefined> {
  const words = wordsOfCall(call);
  const base = await baseDirectoryOf(call);
  if (!isInside(call.context.workspace, base)) return outsideWorkspace(call.access.command?.cwd ?? base);
  const directories = words.length > 0 ? await allowedDirectories(call) : [];
  for (const word of words) {
    const reason = await checkWord(word, base, directories, call);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function checkWord(
  word: Word,
  base: string,
  directories: readonly string[],
  call: GuardedCall,
): Promise<string | undefined> {
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
  for (const candidate of possible) {
    if (HARMLESS.includes(candidate.path)) continue;
    if (isHome(candidate)) return outsideWorkspace(text);
    const real = await resolveRealPath(base, candidate.path);
    const directory = directoryOf(directories, real);
    if (directory === undefined && (await isLikelyPath(candidate))) return outsideWorkspace(text);
    const isAddress = as === 'value' || candidate.as === 'url';
    if (
      !call.tool.isReadOnly &&
      !isAddress &&
      isGitHookOrConfig(relative(directory ?? call.context.workspace, real))
    )
      return inGit(text);
  }
  return undefined;
}

const HOME = /^~([a-z_][\w-]*)?(\/|$)|^\$\{?HOME\b/i;
const WINDOWS = /^[a-z]:[/\\]|^\\\\/i;

const isHome = ({ path, as }: PossiblePath) => HOME.test(path) && (as === 'path' || path.includes('/'));

/** Whether a text outside the workspace is likely a path, as opposed to any text with a slash such as a URL path. */
async function isLikelyPath({ path, as }: PossiblePath): Promise<boolean> {
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

const outsideWorkspace = (text: string) => `${quoteText(text)} leads out of the workspace`;
const inGit = (text: string) =>
  `${quoteText(text)} is in a .git folder, where hooks and settings run programs`;
