import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { codeOf } from '../paths/file-errors.ts';
import { GitFailed, pathLines, pathsIn } from '../processes/run-git.ts';
import type { RepositoryGit } from './repository-git.ts';
import { type CommittedFiles, INCLUDE_FILE } from './committed-files.ts';

/** What the ignored files of one worktree may be together. */
export const includeLimits = { files: 20_000, bytes: 512 * 1024 * 1024 };

export interface Inclusion {
  /** Of the checkout. */
  git: RepositoryGit;
  checkout: string;
  worktree: string;
  /** Of the commit at which the worktree begins. */
  files: CommittedFiles;
  limits?: typeof includeLimits;
}

/**
 * Copies the ignored files of the checkout that `.worktreeinclude` of the commit names into the worktree. Nothing is read
 * or written through a link, and nothing is replaced. Returns what was left out.
 */
export async function copyIncluded(inclusion: Inclusion): Promise<string[]> {
  const { checkout, worktree, limits = includeLimits } = inclusion;
  const paths = await includedFiles(inclusion);
  if (paths.length > limits.files) throw tooLarge(`${paths.length} files, at most ${limits.files}`);
  const skipped: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const from = join(checkout, path);
    const found = await lstat(from).catch(() => undefined);
    if (!found || !(found.isFile() || found.isSymbolicLink())) continue;
    bytes += found.size;
    if (bytes > limits.bytes) throw tooLarge(`more than ${limits.bytes / 1024 / 1024} MiB`);
    const to = join(worktree, path);
    const isHere =
      (await realpath(dirname(from))) === dirname(from) && (await makeDirectories(worktree, path));
    if (!isHere || !(await copyOne(from, to, found.isSymbolicLink() ? { root: checkout, path } : undefined)))
      skipped.push(path);
  }
  return skipped;
}

/** Files that are ignored, not tracked, and named. */
async function includedFiles({ git, files }: Inclusion): Promise<string[]> {
  const patterns = await files.read(INCLUDE_FILE);
  if (patterns === undefined || patterns.trim() === '') return [];
  const named = await git.withIndex(async (index) => {
    const file = `${index}.patterns`;
    await writeFile(file, patterns, { mode: 0o600 });
    return pathsIn(
      await git.run(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`]),
    ).filter((path) => !path.endsWith('/'));
  });
  if (named.length === 0) return [];
  try {
    return pathsIn(await git.run(['check-ignore', '-z', '--stdin'], { stdin: pathLines(named) }));
  } catch (error) {
    // It fails where it finds none.
    if (error instanceof GitFailed && error.message.endsWith('failed: ')) return [];
    throw error;
  }
}

/** Creates the directories of a path one by one; false if something else, such as a link, is in the way. */
async function makeDirectories(root: string, path: string): Promise<boolean> {
  let directory = root;
  for (const name of path.split('/').slice(0, -1)) {
    directory = join(directory, name);
    try {
      await mkdir(directory);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || !(await lstat(directory)).isDirectory()) return false;
    }
  }
  return true;
}

async function copyOne(from: string, to: string, link?: { root: string; path: string }): Promise<boolean> {
  try {
    if (!link) await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    else {
      const target = await readlink(from);
      const inside = normalize(join(dirname(link.path), target));
      // Through any other one the agent would reach the checkout, or what is outside of it.
      if (isAbsolute(target) || inside === '..' || inside.startsWith('../')) return false;
      await symlink(target, to);
    }
    return true;
  } catch (error) {
    if (['EEXIST', 'EACCES', 'ENOENT'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

const tooLarge = (what: string) =>
  new AgentFailure('invalid_input', 'include_too_large', `${INCLUDE_FILE} names too much: ${what}`, {
    isFinal: true,
  });
