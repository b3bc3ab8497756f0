import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolFailure } from '../tool.ts';
import { codeOf } from '../../paths/file-failure.ts';
import { isInGitFolder } from '../../paths/git-folder.ts';
import { openVerifiedFolder, type VerifiedFolder } from '../../paths/open-verified.ts';

const NEW_MODE = 0o666;

/**
 * Writes the file at a real place whole or not at all, making the folders above it; mode and owner stay. Everything happens
 * through the opened folder, so that a folder swapped for a link meanwhile leads nowhere else. With `before`, the file has
 * to be as it was then. Answers whether it was there already.
 */
export async function replaceFile(place: string, text: string, before?: BigIntStats): Promise<boolean> {
  if (isInGitFolder(place))
    throw new ToolFailure('Nothing is written into a .git folder: what is there can run programs');
  await using folder = await openOrMakeFolder(dirname(place));
  const target = folder.entry(basename(place));
  const existing = await statOrNothing(target);
  checkReplaceable(place, existing, before);
  // A folder of its own gives the new file a name that nobody guesses or holds already.
  const making = await mkdtemp(folder.entry('.svc-'));
  try {
    const made = `${making}/new`;
    await writeNew(made, text, existing);
    await rename(made, target);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return existing !== undefined;
}

function checkReplaceable(
  place: string,
  existing: BigIntStats | undefined,
  before: BigIntStats | undefined,
): void {
  if (existing?.isDirectory()) throw new ToolFailure(`${place} is a folder`);
  if (existing && !existing.isFile()) throw new ToolFailure(`${place} is not a regular file`);
  // Replacing a file needs no permission on the file itself; whoever took that away meant it.
  if (existing && (existing.mode & 0o222n) === 0n) throw new ToolFailure(`${place} is read-only`);
  if (before && !(existing && isSame(before, existing)))
    throw new ToolFailure(`${place} was changed by somebody else meanwhile. Read it again`);
}

const isSame = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;

async function writeNew(path: string, text: string, existing: BigIntStats | undefined): Promise<void> {
  await using file = await open(path, 'wx', NEW_MODE);
  await file.writeFile(text);
  if (existing) {
    const made = await file.stat({ bigint: true });
    if (made.uid !== existing.uid || made.gid !== existing.gid)
      await file.chown(Number(existing.uid), Number(existing.gid)).catch((error: unknown) => {
        // Only the administrator of a machine gives files away; then it belongs to the service.
        if (codeOf(error) !== 'EPERM') throw error;
      });
    await file.chmod(Number(existing.mode & 0o777n));
  }
  await file.sync();
}

async function openOrMakeFolder(place: string): Promise<VerifiedFolder> {
  try {
    return await openVerifiedFolder(place);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await using above = await openOrMakeFolder(dirname(place));
  const path = above.entry(basename(place));
  try {
    await mkdir(path);
  } catch (error) {
    // Somebody else made it first; opening it checks what it is.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return await openVerifiedFolder(place, path);
}

async function statOrNothing(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
