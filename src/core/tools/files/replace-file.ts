import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolFailure } from '../tool.ts';
import { codeOf } from '../../paths/file-errors.ts';
import { isInGitDirectory } from '../../paths/git-directory.ts';
import { workUmask } from '../../processes/work-umask.ts';
import { openVerifiedDirectory, type VerifiedDirectory } from '../../paths/open-verified.ts';

const NEW_FILE_MODE = 0o666;
const NEW_DIRECTORY_MODE = 0o777;

/**
 * Replaces the file at a real path atomically and creates missing parent directories; mode and owner stay, new ones follow
 * the umask. Works through the opened directory, so that a directory that is swapped for a link cannot redirect the write.
 * With `before`, the file must be unchanged since then, or still not exist. Returns whether the file existed.
 */
export async function replaceFile(
  path: string,
  text: string,
  {
    before,
    umask = workUmask(),
  }: { before?: BigIntStats | 'none' | undefined; umask?: number | undefined } = {},
): Promise<boolean> {
  if (isInGitDirectory(path))
    throw new ToolFailure('Files in a .git folder cannot be written: git can run programs from there');
  await using directory = await openOrCreateDirectory(dirname(path), umask);
  const target = directory.entry(basename(path));
  const existing = await statIfExists(target);
  checkReplaceable(path, existing, before);
  // A temporary directory gives the new file a name that cannot be guessed or already exist.
  const temporary = await mkdtemp(directory.entry('.svc-'));
  try {
    const created = `${temporary}/new`;
    await writeNew(created, text, existing, umask);
    await rename(created, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return existing !== undefined;
}

function checkReplaceable(
  path: string,
  existing: BigIntStats | undefined,
  before: BigIntStats | 'none' | undefined,
): void {
  if (existing?.isDirectory()) throw new ToolFailure(`${path} is a folder`);
  if (existing && !existing.isFile()) throw new ToolFailure(`${path} is not a regular file`);
  // Replacing needs no write permission on the file itself, but read-only files are meant to stay unchanged.
  if (existing && (existing.mode & 0o222n) === 0n) throw new ToolFailure(`${path} is read-only`);
  const isChanged = before === 'none' ? existing : before && !(existing && isSame(before, existing));
  if (isChanged) throw new ToolFailure(`${path} has changed since it was read. Read it again`);
}

const isSame = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;

async function writeNew(
  path: string,
  text: string,
  existing: BigIntStats | undefined,
  umask: number,
): Promise<void> {
  await using file = await open(path, 'wx', NEW_FILE_MODE);
  await file.writeFile(text);
  if (existing) {
    const created = await file.stat({ bigint: true });
    if (created.uid !== existing.uid || created.gid !== existing.gid)
      await file.chown(Number(existing.uid), Number(existing.gid)).catch((error: unknown) => {
        // Only root may change the owner; otherwise the file belongs to the service.
        if (codeOf(error) !== 'EPERM') throw error;
      });
    await file.chmod(Number(existing.mode & 0o777n));
  } else await file.chmod(NEW_FILE_MODE & ~umask);
  await file.sync();
}

async function openOrCreateDirectory(realPath: string, umask: number): Promise<VerifiedDirectory> {
  try {
    return await openVerifiedDirectory(realPath);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await using parent = await openOrCreateDirectory(dirname(realPath), umask);
  const path = parent.entry(basename(realPath));
  let isNew = true;
  try {
    await mkdir(path);
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
