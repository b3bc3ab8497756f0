import { existsSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { AppError } from '../errors.ts';
import { GitFailed } from '../processes/run-git.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import type { Checkout } from './find-repository.ts';
import type { RepositoryGit } from './repository-git.ts';
import { commitOf } from './worktree-snapshot.ts';

export const branchOf = (taskId: string): string => `svc/${taskId}`;

/** Where the worktrees of a repository are; the name is for people, so that two repositories may share it. */
export const directoryOf = (root: string, { root: checkout }: Pick<Checkout, 'root'>): string =>
  join(
    root,
    basename(checkout)
      .replace(/[^\w.-]/g, '-')
      .replace(/^\.+/, '') || 'repository',
  );

/** The directory in which Git keeps what belongs to one worktree. */
export const gitDirectoryOf = ({
  repository,
  task_id,
}: Pick<WorktreeRow, 'repository' | 'task_id'>): string => join(repository, 'worktrees', task_id);

/** Whether its directory and what Git keeps of it exist. */
export const isThere = (row: WorktreeRow): boolean => existsSync(row.path) && existsSync(gitDirectoryOf(row));

/** The commit at which a worktree begins: that of the branch, or the one that is checked out. */
export async function baseOf({ git, root }: Checkout, branch: string | undefined): Promise<string> {
  if (branch === undefined) {
    const head = await commitOf(git, 'HEAD');
    if (head !== undefined) return head;
    throw new AgentFailure(
      'invalid_input',
      'no_commit',
      `The repository ${root} has no commit, so that no worktree can begin. Commit first, or run the task with --in-place.`,
      { isFinal: true },
    );
  }
  for (const name of [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`, `refs/tags/${branch}`]) {
    const commit = await commitOf(git, name);
    if (commit !== undefined) return commit;
  }
  throw new AgentFailure('invalid_input', 'no_branch', `The repository ${root} has no branch ${branch}`, {
    isFinal: true,
  });
}

/** Creates the worktree, also where an interrupted daemon left a part of it. The branch keeps what it has. */
export async function addWorktree(git: RepositoryGit, row: WorktreeRow): Promise<void> {
  const { path, branch, base } = row;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { recursive: true, force: true });
  await rm(gitDirectoryOf(row), { recursive: true, force: true });
  const add = (...options: string[]) => git.run(['worktree', 'add', '--quiet', ...options]);
  try {
    await add('--no-track', '-b', branch, path, base).catch(async (error: unknown) => {
      // It does nothing where the branch is there.
      if ((await commitOf(git, `refs/heads/${branch}`)) === undefined) throw error;
      await rm(path, { recursive: true, force: true });
      await rm(gitDirectoryOf(row), { recursive: true, force: true });
      return add(path, branch);
    });
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new AgentFailure('invalid_input', 'no_worktree', `No worktree could be created: ${error.message}`, {
      cause: error,
    });
  }
  // A link at its place would lead git elsewhere.
  if ((await realpath(gitDirectoryOf(row))) !== gitDirectoryOf(row))
    throw new AppError('conflict', `${gitDirectoryOf(row)} leads elsewhere`);
}
