import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { isInside } from '../paths/real-path.ts';
import { repositoryRootOf } from '../paths/project-root.ts';
import { GitFailed } from '../processes/run-git.ts';
import type { GitTools } from './git-tools.ts';
import type { RepositoryGit } from './repository-git.ts';

/** A checkout of a repository that holds a directory. All paths are real. */
export interface Checkout {
  git: RepositoryGit;
  /** Its root. */
  root: string;
  /** The directory that all worktrees of the repository share. */
  repository: string;
  /** The directory in it, relative to the root; empty for the root. */
  subdirectory: string;
}

/** The checkout that holds the directory; undefined where none does. */
export async function findCheckout(tools: GitTools, directory: string): Promise<Checkout | undefined> {
  const cwd = await realpath(directory);
  // Git alone would also find a repository that the settings of an outer directory name.
  const root = await repositoryRootOf(cwd);
  if (root === undefined) return undefined;
  const finder = await tools.open({ cwd });
  if (!finder) return undefined;
  try {
    const known = await finder.locate();
    if (known.workTree !== root || !isInside(root, cwd)) return undefined;
    const git = finder.at({ cwd: root, known });
    return { git, root, repository: known.commonDirectory, subdirectory: relative(root, cwd) };
  } catch (error) {
    if (error instanceof GitFailed) return undefined;
    throw error;
  }
}
