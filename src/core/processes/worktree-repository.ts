import { lstat, mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isRepositoryListing } from './git-protection.ts';
import { isInside } from '../paths/real-path.ts';
import { realDirectory } from './program-mounts.ts';
import type { SandboxMount } from './sandbox.ts';

/** The branches of svc, which a worktree of a task is on. */
const BRANCHES = 'refs/heads/svc';

/** The repository that a worktree belongs to. */
export interface WorktreeRepository {
  /** The main `.git` directory, as a real path. */
  common: string;
  /** The directory in it that belongs to the worktree alone. */
  own: string;
}

/**
 * The repository of a directory that is a worktree of it; undefined for any other directory, and where the repository does
 * not name the worktree as well: a file that somebody wrote into the directory opens nothing.
 */
export async function worktreeRepository(directory: string): Promise<WorktreeRepository | undefined> {
  const link = join(directory, '.git');
  if (!(await lstat(link).catch(() => undefined))?.isFile()) return undefined;
  const named = /^gitdir: (.+)$/m.exec(await readFile(link, 'utf8'))?.[1];
  const own = named && (await realDirectory(resolve(directory, named)));
  if (!own || basename(dirname(own)) !== 'worktrees') return undefined;
  const common = dirname(dirname(own));
  if (isInside(directory, common) || !(await isRepository(common))) return undefined;
  const [back, leads] = await Promise.all([lineOf(join(own, 'gitdir')), lineOf(join(own, 'commondir'))]);
  if (back === undefined || (await realpath(resolve(own, back)).catch(() => undefined)) !== link)
    return undefined;
  if (leads === undefined || (await realDirectory(resolve(own, leads))) !== common) return undefined;
  return { common, own };
}

/**
 * Shows the repository of a worktree so that commits work: new objects, the branches of svc and what belongs to the worktree
 * can be written, everything else only read, among it hooks and settings.
 */
export async function worktreeMounts(
  { common, own }: WorktreeRepository,
  isReadOnly: boolean,
): Promise<SandboxMount[]> {
  const base = { source: common, target: common, isReadOnly: true };
  if (isReadOnly) return [base];
  const written = ['objects', BRANCHES, join('logs', BRANCHES)].map((path) => join(common, path));
  for (const path of written) await mkdir(path, { recursive: true });
  const mounts: SandboxMount[] = [base];
  for (const path of [...written, own])
    // What a link leads to is elsewhere.
    if ((await realDirectory(path)) === path) mounts.push({ source: path, target: path, isReadOnly: false });
  return mounts;
}

const isRepository = async (path: string) =>
  isRepositoryListing(new Set(await readdir(path).catch(() => [])));

const lineOf = async (path: string) => (await readFile(path, 'utf8').catch(() => undefined))?.trim();
