import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { PathError } from './path-error.ts';
import { codeOf } from './file-failure.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/** Where Linux tells what a descriptor of this process really is. */
export const DESCRIPTORS = '/proc/self/fd';

/**
 * Opens the regular file at a real place to be read. What was put there since the guards looked is refused before a byte
 * is read: a link, a folder on the way that became a link, a pipe (which would wait for ever), a device, a socket.
 */
export async function openVerified(place: string, descriptors = DESCRIPTORS): Promise<FileHandle> {
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  return keepIf(file, async () => {
    const found = await file.stat({ bigint: true });
    if (found.isDirectory()) throw new PathError(`${place} is a folder`);
    if (!found.isFile()) throw new PathError(`${place} is not a regular file`);
    await verify(file, place, found, descriptors);
    return file;
  });
}

/** A folder that stays the one that was checked, whatever is put at its place meanwhile. */
export class VerifiedFolder implements AsyncDisposable {
  readonly place: string;
  /** A path to the folder; on Linux it leads through the open descriptor and cannot be swapped any more. */
  readonly path: string;
  readonly #folder: FileHandle;
  constructor(place: string, path: string, folder: FileHandle) {
    this.place = place;
    this.path = path;
    this.#folder = folder;
  }

  /** The path of an entry; `name` is one segment. */
  entry(name: string): string {
    return `${this.path}/${name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder.close();
  }
}

/** Opens the folder at a real place, and none that somebody put there since. `path` may lead there through another descriptor. */
export async function openVerifiedFolder(
  place: string,
  path = place,
  descriptors = DESCRIPTORS,
): Promise<VerifiedFolder> {
  const folder = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK);
  return keepIf(folder, async () => {
    const isSafe = await verify(folder, place, await folder.stat({ bigint: true }), descriptors);
    return new VerifiedFolder(place, isSafe ? `${descriptors}/${folder.fd}` : place, folder);
  });
}

async function keepIf<Result>(handle: FileHandle, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Answers whether the system told the descriptor's own place; where it cannot, the place is looked up anew. */
async function verify(
  handle: FileHandle,
  place: string,
  opened: BigIntStats,
  descriptors: string,
): Promise<boolean> {
  const told = await placeOf(handle, descriptors);
  if (told !== undefined) {
    if (told === place) return true;
    throw new PathError(`${place} was replaced while it was opened`);
  }
  const [fresh, there] = await Promise.all([realpath(place), lstat(place, { bigint: true })]);
  if (fresh === place && there.dev === opened.dev && there.ino === opened.ino) return false;
  throw new PathError(`${place} was replaced while it was opened`);
}

async function placeOf(handle: FileHandle, descriptors: string): Promise<string | undefined> {
  try {
    return await readlink(`${descriptors}/${handle.fd}`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
