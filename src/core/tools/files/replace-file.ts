import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolFailure } from '../tool.ts';
import { codeOf } from '../../paths/file-errors.ts';
import { isInGitDirectory } from '../../paths/git-directory.ts';
import { workUmask } from '../../processes/work-umask.ts';
import { openVerifiedDirectory, type VerifiedDirectory } from '../../paths/open-verified.ts';
import type { FileKeeper } from '../file-keeper.ts';

const NEW_FILE_MODE = 0o666;
const NEW_DIRECTORY_MODE = 0o777;

export interface ReplaceOptions {
  /** What the file must still be: unchanged since this `stat`, or absent. */
  before?: BigIntStats | 'absent' | undefined;
  umask?: number | undefined;
  /** The permissions of the new file; otherwise they stay, and those of a file that did not exist follow the umask. */
  permissions?: number;
  /** Keeps the file as it was. */
  keeper?: FileKeeper | undefined;
}

/**
 * Replaces the file at a real path atomically and creates missing parent directories; mode and owner stay, new ones follow
 * the umask. Works through the opened directory, so that a directory that is swapped for a link cannot redirect the write.
 * With `before`, the file must be unchanged since then, or still not exist. Returns whether the file existed.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { before, umask = workUmask(), permissions, keeper }: ReplaceOptions = {},
): Promise<boolean> {
  if (isInGitDirectory(path))
    throw new ToolFailure('Files in a .git folder cannot be written: git can run programs from there');
  const made: string[] = [];
  await using directory = await openOrCreateDirectory(dirname(path), umask, made);
  const target = directory.entry(basename(path));
  const existing = await statIfExists(target);
  checkReplaceable(path, existing, before, permissions !== undefined);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const mode = permissions ?? (existing ? Number(existing.mode & 0o777n) : NEW_FILE_MODE & ~umask);
  const [madeDirectory] = made;
  const settle = keeper && (await keepFile(keeper, { path, target, existing, bytes, mode, madeDirectory }));
  let isReplaced = false;
  // A temporary directory gives the new file a name that cannot be guessed or already exist.
  const temporary = await mkdtemp(directory.entry('.svc-'));
  try {
    const created = `${temporary}/new`;
    await writeNew(created, bytes, existing, mode);
    if (settle) checkSame(path, existing, await statIfExists(target));
    await rename(created, target);
    isReplaced = true;
  } finally {
    try {
      await rm(temporary, { recursive: true, force: true });
    } finally {
      await settle?.(isReplaced);
    }
  }
  return existing !== undefined;
}

interface KeptReplacement {
  path: string;
  target: string;
  existing: BigIntStats | undefined;
  bytes: Uint8Array;
  mode: number;
  madeDirectory: string | undefined;
}

async function keepFile(
  keeper: FileKeeper,
  { path, target, existing, bytes, mode, madeDirectory }: KeptReplacement,
) {
  const change = { path, content: bytes, mode: constants.S_IFREG | mode, madeDirectory };
  if (!existing) return keeper.keepFile({ ...change, existing: undefined });
  await using file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  checkSame(path, existing, await file.stat({ bigint: true }));
  return await keeper.keepFile({ ...change, existing: file });
}

/** What was kept must be what is replaced. */
function checkSame(path: string, before: BigIntStats | undefined, now: BigIntStats | undefined): void {
  if (before && now ? !isSame(before, now) : before !== now)
    throw new ToolFailure(`${path} was changed by another program meanwhile. Read it again`);
}

function checkReplaceable(
  path: string,
  existing: BigIntStats | undefined,
  before: BigIntStats | 'absent' | undefined,
  mayReplaceReadOnly: boolean,
): void {
  if (existing?.isDirectory()) throw new ToolFailure(`${path} is a folder`);
  if (existing && !existing.isFile()) throw new ToolFailure(`${path} is not a regular file`);
  // Replacing needs no write permission on the file itself, but read-only files are meant to stay unchanged.
  if (existing && !mayReplaceReadOnly && (existing.mode & 0o222n) === 0n)
    throw new ToolFailure(`${path} is read-only`);
  if (before === 'absent' ? existing : before && !(existing && isSame(before, existing)))
    throw new ToolFailure(`${path} has changed since it was read. Read it again`);
}

const isSame = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;

async function writeNew(
  path: string,
  content: Uint8Array,
  existing: BigIntStats | undefined,
  mode: number,
): Promise<void> {
  await using file = await open(path, 'wx', NEW_FILE_MODE);
  await file.writeFile(content);
  if (existing) {
    const created = await file.stat({ bigint: true });
    if (created.uid !== existing.uid || created.gid !== existing.gid)
      await file.chown(Number(existing.uid), Number(existing.gid)).catch((error: unknown) => {
        // Only root may change the owner; otherwise the file belongs to the service.
        if (codeOf(error) !== 'EPERM') throw error;
      });
  }
  await file.chmod(mode);
  await file.sync();
}

/** Adds the directories that it creates to `made`, the topmost first. */
async function openOrCreateDirectory(
  realPath: string,
  umask: number,
  made: string[],
): Promise<VerifiedDirectory> {
  try {
    return await openVerifiedDirectory(realPath);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await using parent = await openOrCreateDirectory(dirname(realPath), umask, made);
  const path = parent.entry(basename(realPath));
  let isNew = true;
  try {
    await mkdir(path);
    made.push(realPath);
  } catch (error) {
    // Another writer created it first; opening it verifies that it is a directory.
    if (codeOf(error) !== 'EEXIST') throw error;
    isNew = false;
  }
  const directory = await openVerifiedDirectory(realPath, path);
  try {
    if (isNew) await directory.chmod(NEW_DIRECTORY_MODE & ~umask);
    return directory;
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw error;
  }
}

async function statIfExists(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
