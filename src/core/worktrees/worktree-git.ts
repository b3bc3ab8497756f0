import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { isInside } from '../paths/real-path.ts';
import { GitFailed } from '../processes/run-git.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { gitDirectoryOf } from './create-worktree.ts';
import type { GitTools } from './git-tools.ts';
import type { RepositoryGit } from './repository-git.ts';

/** What Git writes into it: the repository, as seen from the directory of the worktree in it. */
const COMMON_DIRECTORY = '../..\n';

/**
 * Git in the worktree of a task. Its directories are named, because an agent can write the file in the worktree that
 * names them otherwise.
 */
export async function gitInWorktree(tools: GitTools, row: WorktreeRow): Promise<RepositoryGit> {
  const gitDirectory = gitDirectoryOf(row);
  await restoreCommonDirectory(join(gitDirectory, 'commondir'));
  return tools.require({
    cwd: row.path,
    known: { gitDirectory, commonDirectory: row.repository, workTree: row.path },
  });
}

/** Git finds branches through this file, which an agent can write, and not through its environment. */
async function restoreCommonDirectory(file: string): Promise<void> {
  const isAsWritten = (await lstat(file).catch(() => undefined))?.isFile();
  if (isAsWritten && (await readFile(file, 'utf8')) === COMMON_DIRECTORY) return;
  await rm(file, { recursive: true, force: true });
  await writeFile(file, COMMON_DIRECTORY);
}

/** Git in the repository of a worktree that may be gone; it never works on files. */
export const gitInRepository = (tools: GitTools, { repository }: WorktreeRow): Promise<RepositoryGit> =>
  tools.require({
    cwd: repository,
    known: { gitDirectory: repository, commonDirectory: repository, workTree: repository },
  });

/** Git in the checkout that the task named; throws a `conflict` where it is gone or another repository now. */
export async function gitInCheckout(tools: GitTools, row: WorktreeRow): Promise<RepositoryGit> {
  const { checkout, repository } = row;
  try {
    const finder = await tools.require({ cwd: checkout });
    const known = await finder.locate();
    const { workTree, commonDirectory, gitDirectory } = known;
    if (workTree === checkout && commonDirectory === repository && isInside(repository, gitDirectory))
      return finder.at({ cwd: checkout, known });
  } catch (error) {
    const isGone = error instanceof GitFailed || (error instanceof Error && 'code' in error);
    if (!isGone) throw error;
  }
  throw new AppError('conflict', `The checkout ${checkout} is gone, or is another repository now`);
}
