import { hash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { lstat, mkdtemp, open, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { UndoReport, UnrestoredReason } from '../../contract/changes.ts';
import { codeOf } from '../paths/file-errors.ts';
import { isGitHookOrConfig, isInGitDirectory } from '../paths/git-directory.ts';
import { openVerifiedDirectory, type VerifiedDirectory } from '../paths/open-verified.ts';
import { PathError } from '../paths/path-error.ts';
import { isInside } from '../paths/real-path.ts';
import { replaceFile } from '../tools/files/replace-file.ts';
import { isToolFailure } from '../tools/tool.ts';
import { type FileState, isLink, isSameState, keptMode, MAX_KEPT_BYTES } from './file-state.ts';
import type { NetChange } from './net-changes.ts';

export type Restored = { action: UndoReport['restored'][number]['action'] } | Refused;
interface Refused {
  reason: UnrestoredReason;
  message: string;
}

export interface RestoreDeps {
  /** The kept content; undefined if it is not kept. */
  read: (sha256: string) => Promise<Buffer | undefined>;
  /** The real paths of the daemon's own directories. */
  protectedDirectories: readonly string[];
  /** The directory in which each task without its own works is not protected. */
  workspaces: string;
}

/**
 * Makes a file what it was before a run, if it still is as the run left it. Works through the opened directory, so that no
 * link can redirect it. With `dryRun` it only looks.
 */
export async function restoreFile(
  deps: RestoreDeps,
  { path, before, after, isMixed }: NetChange,
  dryRun: boolean,
): Promise<Restored> {
  if (isForbidden(deps, path)) return refused('forbidden', 'Git or svc itself uses this file');
  try {
    const found = await stateOf(path);
    if (isSameState(found?.state, before)) return { action: 'unchanged' };
    if (isMixed) return refused('changed_meanwhile', 'Something else changed the file between its changes');
    if (!isSameState(found?.state, after))
      return found && after && isLink(found.state) && !isLink(after)
        ? refused('replaced', 'The file is a link now')
        : refused('changed_since', found ? 'The file has changed since' : 'The file was removed since');
    const content = before && before.hash !== null ? await deps.read(before.hash) : undefined;
    if (before && !content) return refused('not_kept', 'Its earlier content is not kept');
    if (!before || !content) {
      if (!dryRun) await removeFile(path, found?.stats);
      return { action: 'removed' };
    }
    if (!dryRun) await writeBack(path, before, content, found?.stats);
    return { action: 'restored' };
  } catch (error) {
    if (isToolFailure(error) || codeOf(error) === 'ELOOP' || codeOf(error) === 'ENOTDIR')
      return refused('replaced', 'The file or a directory above it was replaced');
    const code = codeOf(error);
    if (code === undefined) throw error;
    return refused('failed', `The system reports ${code}`);
  }
}

/** Removes the empty directories that were created for files that are gone again. */
export async function removeMadeDirectories(changes: readonly NetChange[]): Promise<void> {
  const made = changes.flatMap(({ rows }) => rows.flatMap(({ made_directory }) => made_directory ?? []));
  const directories = new Set<string>();
  for (const { path, before } of changes) {
    if (before) continue;
    for (let directory = dirname(path); directory !== dirname(directory); directory = dirname(directory))
      if (made.some((top) => isInside(top, directory))) directories.add(directory);
  }
  // The deepest first.
  for (const directory of [...directories].sort((a, b) => b.length - a.length)) {
    try {
      await using parent = await openVerifiedDirectory(dirname(directory));
      await rmdir(parent.entry(basename(directory)));
    } catch (error) {
      // It is in use, or was replaced or removed.
      if (!(error instanceof PathError) && codeOf(error) === undefined) throw error;
    }
  }
}

function isForbidden({ protectedDirectories, workspaces }: RestoreDeps, path: string): boolean {
  if (isInGitDirectory(path) || isGitHookOrConfig(path)) return true;
  return !isInside(workspaces, path) && protectedDirectories.some((own) => isInside(own, path));
}

interface Found {
  state: FileState;
  stats: BigIntStats;
}

/** What is at the path; undefined if nothing is. Throws if a directory above it is not the real one. */
async function stateOf(path: string): Promise<Found | undefined> {
  try {
    await using directory = await openVerifiedDirectory(dirname(path));
    const entry = directory.entry(basename(path));
    const stats = await lstat(entry, { bigint: true });
    return { stats, state: { mode: keptMode(stats), hash: await hashOf(entry, stats) } };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The state of a file now; undefined where there is none, or no telling. */
export const stateAt = (path: string): Promise<FileState | undefined> =>
  stateOf(path).then(
    (found) => found?.state,
    () => undefined,
  );

/** Null where the content can be none that is kept. */
async function hashOf(entry: string, stats: BigIntStats): Promise<string | null> {
  if (stats.isSymbolicLink()) return hash('sha256', await readlink(entry, { encoding: 'buffer' }));
  if (!stats.isFile() || stats.size > BigInt(MAX_KEPT_BYTES)) return null;
  await using file = await open(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  return hash('sha256', await file.readFile());
}

async function removeFile(path: string, expected: BigIntStats | undefined): Promise<void> {
  await using directory = await openVerifiedDirectory(dirname(path));
  const entry = directory.entry(basename(path));
  await requireSame(entry, path, expected);
  await unlink(entry);
}

async function writeBack(
  path: string,
  before: FileState,
  content: Buffer,
  expected: BigIntStats | undefined,
): Promise<void> {
  const isReplacedByLink = isLink(before);
  if (!isReplacedByLink && (!expected || expected.isFile())) {
    await replaceFile(path, content, { before: expected ?? 'absent', permissions: before.mode & 0o777 });
    return;
  }
  await using directory = await openVerifiedDirectory(dirname(path));
  const entry = directory.entry(basename(path));
  if (!isReplacedByLink) {
    await requireSame(entry, path, expected);
    await unlink(entry);
    await replaceFile(path, content, { before: 'absent', permissions: before.mode & 0o777 });
    return;
  }
  await replaceByLink(directory, path, content.toString(), expected);
}

async function replaceByLink(
  directory: VerifiedDirectory,
  path: string,
  target: string,
  expected: BigIntStats | undefined,
): Promise<void> {
  const entry = directory.entry(basename(path));
  const temporary = await mkdtemp(directory.entry('.svc-'));
  try {
    await symlink(target, `${temporary}/new`);
    await requireSame(entry, path, expected);
    await rename(`${temporary}/new`, entry);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function requireSame(entry: string, path: string, expected: BigIntStats | undefined): Promise<void> {
  const now = await lstat(entry, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (now?.ino !== expected?.ino || now?.mtimeNs !== expected?.mtimeNs)
    throw new PathError(`${path} has changed meanwhile`);
}

const refused = (reason: UnrestoredReason, message: string): Refused => ({ reason, message });
