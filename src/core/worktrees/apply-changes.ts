import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { GitFailed, pathsIn } from '../processes/run-git.ts';
import type { RepositoryGit } from './repository-git.ts';

const SHOWN = 10;

export interface Application {
  /** Of the checkout. */
  git: RepositoryGit;
  checkout: string;
  branch: string;
  patch: Buffer;
}

/**
 * Applies a patch to a checkout without uncommitted changes and stages it; otherwise throws a `conflict` and changes
 * nothing. Resolves to false where the checkout has the changes already.
 */
export async function applyChanges({ git, checkout, branch, patch }: Application): Promise<boolean> {
  if (await succeeds(git.run(['apply', '--check', '--reverse', '-'], { stdin: patch }))) return false;
  const dirty = await uncommitted(git);
  if (dirty.length > 0)
    throw new AppError(
      'conflict',
      `The checkout ${checkout} has uncommitted changes: ${listed(dirty)}. Commit or stash them first. Nothing was changed.`,
    );
  await rehearse(git, { checkout, branch, patch });
  // Git compares the times of files with the index; they differ after a copy of the checkout.
  await succeeds(git.run(['update-index', '-q', '--refresh']));
  try {
    await git.run(['apply', '--3way', '-'], { stdin: patch });
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new AppError('conflict', `The changes cannot be applied to ${checkout}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  return true;
}

/** The tracked files that differ from the commit that is checked out. */
async function uncommitted(git: RepositoryGit): Promise<string[]> {
  const output = await git.run([
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=no',
    '--ignore-submodules=all',
    '--no-renames',
  ]);
  return pathsIn(output).map((line) => line.slice(3));
}

/** Applies the patch to an index of its own, because git leaves conflicts in the files where it finds some. */
async function rehearse(
  git: RepositoryGit,
  { checkout, branch, patch }: Omit<Application, 'git'>,
): Promise<void> {
  const problem = await git.withIndex(async (index) => {
    await git.run(['read-tree', 'HEAD'], { index });
    try {
      await git.run(['apply', '--cached', '--3way', '-'], { index, stdin: patch });
      return undefined;
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      const output = await git.run(['diff', '--cached', '-z', '--name-only', '--diff-filter=U'], { index });
      const paths = [...new Set(pathsIn(output))];
      return paths.length > 0 ? listed(paths) : reasonOf(error);
    }
  });
  if (problem !== undefined)
    throw new AppError(
      'conflict',
      `The changes conflict with the checkout ${checkout}: ${problem}. Nothing was changed. To resolve it, commit the changes and merge the branch: git merge ${branch}`,
    );
  await requireFree(git, checkout, patch);
}

/** Git checks only while it applies whether files that are not tracked are in the way. */
async function requireFree(git: RepositoryGit, checkout: string, patch: Buffer): Promise<void> {
  const { lstat } = await import('node:fs/promises');
  const added = pathsIn(await git.run(['apply', '--numstat', '-z', '-'], { stdin: patch })).map((line) =>
    line.split('\t').slice(2).join('\t'),
  );
  const tracked = new Set(pathsIn(await git.run(['ls-files', '-z'])));
  const inTheWay: string[] = [];
  for (const path of added)
    if (!tracked.has(path) && (await lstat(join(checkout, path)).catch(() => undefined))) inTheWay.push(path);
  if (inTheWay.length > 0)
    throw new AppError(
      'conflict',
      `Files that are not tracked are in the way in ${checkout}: ${listed(inTheWay)}. Move them away first. Nothing was changed.`,
    );
}

const succeeds = (run: Promise<unknown>): Promise<boolean> =>
  run.then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitFailed) return false;
      throw error;
    },
  );

const listed = (paths: readonly string[]): string =>
  [...paths.slice(0, SHOWN), ...(paths.length > SHOWN ? [`and ${paths.length - SHOWN} more`] : [])].join(
    ', ',
  );

/** What git says, without the command. */
const reasonOf = ({ message }: Error): string =>
  message
    .replace(/^git [^\n]*? failed: /, '')
    .split('\n')[0]
    ?.replace(/^error: /, '') ?? '';
