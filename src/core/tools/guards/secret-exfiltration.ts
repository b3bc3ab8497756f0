import { dirname, join, relative, resolve } from 'node:path';
import { isInside, resolveRealPath } from '../../paths/real-path.ts';
import type { SecretFiles } from '../../paths/secret-files.ts';
import { quoteText } from '../../text/escape-invisible.ts';
import { isToolFailure } from '../tool.ts';
import { allowedDirectories, directoryOf } from './allowed-directories.ts';
import type { Guard, GuardedCall } from './guard.ts';
import { isSecretPath } from '../../paths/secret-paths.ts';
import { baseDirectoryOf, pathsOfWord, wordsOfCall } from './words-of-call.ts';

export interface SecretGuardDeps {
  protectedDirectories: string[];
  /** Recognizes credentials by content; without it, only names count. */
  secretFiles?: SecretFiles;
}

/** Refuses access to secrets and to the daemon's own directories, which are given as real paths. */
export function secretExfiltration({ protectedDirectories, secretFiles }: SecretGuardDeps): Guard {
  return {
    name: 'secret-exfiltration',
    async check(call) {
      try {
        return await findSecret(call, protectedDirectories, secretFiles);
      } catch (error) {
        if (isToolFailure(error)) return error.message;
        throw error;
      }
    },
  };
}

/**
 * Whether a real path belongs to the daemon. The call's own directory below `workspaces`, or in a worktree of a task, does
 * not; those of other tasks do.
 */
export const isProtectedPath = (path: string, protectedDirectories: string[], workspace: string): boolean =>
  protectedDirectories.some((directory) => {
    if (!isInside(directory.toLowerCase(), path.toLowerCase())) return false;
    const isTaskDirectory =
      dirname(workspace) === join(directory, 'workspaces') || isInWorktree(directory, workspace);
    return !(isTaskDirectory && isInside(workspace, path));
  });

/** `worktrees/<repository>/task_…`, or a directory in it. */
function isInWorktree(directory: string, workspace: string): boolean {
  const [first, , task] = relative(directory, workspace).split('/');
  return first === 'worktrees' && task?.startsWith('task_') === true;
}

async function findSecret(
  call: GuardedCall,
  protectedDirectories: string[],
  secretFiles: SecretFiles | undefined,
): Promise<string | undefined> {
  const { workspace } = call.context;
  const isForbidden = (path: string) =>
    isSecretPath(path) || isProtectedPath(path, protectedDirectories, workspace);
  const directories = await allowedDirectories(call);
  const holdsSecrets = async (real: string) => {
    const directory = directoryOf(directories, real);
    return directory !== undefined && (await secretFiles?.isSecret(real, directory)) === true;
  };
  for (const { requested, real, operation } of call.paths) {
    if (isForbidden(real) || isForbidden(resolve(workspace, requested))) return refusal(requested);
    // Writing shows nothing, and correcting a file with a password is work that people ask for.
    if (operation === 'read' && (await holdsSecrets(real))) return contentRefusal(requested);
  }
  const words = wordsOfCall(call);
  const base = words.length > 0 ? await baseDirectoryOf(call) : workspace;
  for (const word of words) {
    const possible = pathsOfWord(word);
    if (!possible) return 'A word may contain too many paths to be checked for secrets';
    for (const { path, as } of possible) {
      const named = resolve(base, path);
      const real = await resolveRealPath(base, path);
      // The text of a URL does not matter, unless a directory of that name links to a secret.
      if (isForbidden(real) && (as !== 'url' || real !== named)) return refusal(word.text);
      if (as !== 'url' && isForbidden(named)) return refusal(word.text);
      if (await holdsSecrets(real)) return contentRefusal(word.text);
    }
  }
  return undefined;
}

const refusal = (text: string) => `${quoteText(text)} points to a path where secrets are kept`;
const contentRefusal = (text: string) => `${quoteText(text)} contains credentials`;
