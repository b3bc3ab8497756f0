import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { PathError } from './path-error.ts';
import { codeOf } from './file-errors.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/** The directory in which Linux links each open descriptor of this process to its file. */
export const DESCRIPTORS = '/proc/self/fd';

/**
 * Opens the regular file at a real path for reading. If the path was replaced after the guards checked it, opening fails
 * before a byte is read: a link, a parent directory that became a link, a pipe (which would block), a device, a socket.
 */
export async function openVerified(path: string, descriptors = DESCRIPTORS): Promise<FileHandle> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  return closeOnFailure(file, async () => {
    const found = await file.stat({ bigint: true });
    if (found.isDirectory()) throw new PathError(`${path} is a folder`);
    if (!found.isFile()) throw new PathError(`${path} is not a regular file`);
    await verify(file, path, found, descriptors);
    return file;
  });
}

/** An open directory that stays the one that was checked, even if its path is replaced. */
export class VerifiedDirectory implements AsyncDisposable {
  readonly realPath: string;
  /** A path to the directory; on Linux it goes through the open descriptor, so it cannot be swapped. */
  readonly path: string;
  readonly #handle: FileHandle;
  constructor(realPath: string, path: string, handle: FileHandle) {
    this.realPath = realPath;
    this.path = path;
    this.#handle = handle;
  }

  /** The path of an entry; `name` is one segment. */
  entry(name: string): string {
    return `${this.path}/${name}`;
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Opens the directory at a real path, and fails if the path was replaced. `path` may reach it through another descriptor. */
export async function openVerifiedDirectory(
  realPath: string,
  path = realPath,
  descriptors = DESCRIPTORS,
): Promise<VerifiedDirectory> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK);
  return closeOnFailure(handle, async () => {
    const isBound = await verify(handle, realPath, await handle.stat({ bigint: true }), descriptors);
    return new VerifiedDirectory(realPath, isBound ? `${descriptors}/${handle.fd}` : realPath, handle);
  });
}

async function closeOnFailure<Result>(handle: FileHandle, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Returns whether the system reports the descriptor's own path; where it does not, the path is resolved and compared. */
async function verify(
  handle: FileHandle,
  path: string,
  opened: BigIntStats,
  descriptors: string,
): Promise<boolean> {
  const reported = await pathOf(handle, descriptors);
  if (reported !== undefined) {
    if (reported === path) return true;
    throw new PathError(`${path} was replaced while it was opened`);
  }
  const [resolved, found] = await Promise.all([realpath(path), lstat(path, { bigint: true })]);
  if (resolved === path && found.dev === opened.dev && found.ino === opened.ino) return false;
  throw new PathError(`${path} was replaced while it was opened`);
}

async function pathOf(handle: FileHandle, descriptors: string): Promise<string | undefined> {
  try {
    return await readlink(`${descriptors}/${handle.fd}`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
