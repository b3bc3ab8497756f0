import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { codeOf } from '../../paths/file-errors.ts';
import { DESCRIPTORS } from '../../paths/open-verified.ts';
import { isInside } from '../../paths/real-path.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;
const DIRECTORY_FLAGS = O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK;
const FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** Only the deepest levels of a path stay open. */
const MAX_OPEN = 64;

interface Level {
  path: string;
  /** `dev:ino`. */
  id: string;
  descriptor: number | undefined;
}

/** The path was replaced between check and use. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
  readonly code = 'ENOENT';
  constructor(path: string) {
    super(`${path} was replaced while it was opened`);
  }
}

/**
 * Moves down a tree and opens each directory through its parent, so that a symlink put in the path leads nowhere.
 * Without /proc-style descriptor paths each path is verified after opening.
 */
export class DirectoryCursor implements Disposable {
  readonly #levels: Level[] = [];
  readonly #descriptors: string | undefined;

  /** `base` is a real path. */
  constructor(base: string, descriptors = DESCRIPTORS) {
    const descriptor = openSync(base, DIRECTORY_FLAGS);
    try {
      this.#descriptors = hasDescriptorPaths(descriptor, base, descriptors) ? descriptors : undefined;
      this.#levels.push({ path: base, id: idOf(fstatSync(descriptor, { bigint: true })), descriptor });
      if (!this.#descriptors) verify(base, base, descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  get path(): string {
    return this.#top.path;
  }

  /** Unique per directory, independent of its mount point. */
  get id(): string {
    return this.#top.id;
  }

  /** Whether the directory is mounted again below itself. */
  get isLoop(): boolean {
    const { id } = this.#top;
    return this.#levels.findIndex((level) => level.id === id) < this.#levels.length - 1;
  }

  /** A path that refers to this very directory until the next move. */
  get descriptorPath(): string {
    const descriptor = this.#open(this.#levels.length - 1);
    return this.#descriptors === undefined ? this.path : `${this.#descriptors}/${descriptor}`;
  }

  stat(name: string): BigIntStats {
    return lstatSync(`${this.descriptorPath}/${name}`, { bigint: true });
  }

  enter(name: string): void {
    this.#levels.push({ path: join(this.path, name), id: '', descriptor: undefined });
    try {
      this.#open(this.#levels.length - 1);
    } catch (error) {
      this.#levels.pop();
      throw error;
    }
  }

  leave(): void {
    close(this.#levels.pop());
  }

  /** Moves to a directory at or below the base. */
  moveTo(directory: string): void {
    while (this.#levels.length > 1 && !isInside(this.path, directory)) this.leave();
    const rest = directory.slice(this.path.length).split('/').filter(Boolean);
    for (const name of rest) this.enter(name);
  }

  /** Opens a file of the directory without following a symlink; it may not be a regular file. */
  openFile(name: string): number {
    const descriptor = openSync(`${this.descriptorPath}/${name}`, FILE_FLAGS);
    try {
      if (!this.#descriptors) verify(join(this.path, name), this.path, descriptor);
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    while (this.#levels.length > 0) this.leave();
  }

  get #top(): Level {
    const top = this.#levels.at(-1);
    if (!top) throw new Error('This cursor is closed');
    return top;
  }

  /** Opens a level that is closed. */
  #open(at: number): number {
    let from = at;
    while (this.#levels[from]?.descriptor === undefined) from--;
    let descriptor = this.#levels[from]?.descriptor ?? Number.NaN;
    for (let next = from + 1; next <= at; next++) {
      const level = this.#levels[next];
      if (!level) break;
      const name = level.path.slice(level.path.lastIndexOf('/') + 1);
      descriptor = openSync(
        this.#descriptors ? `${this.#descriptors}/${descriptor}/${name}` : level.path,
        DIRECTORY_FLAGS,
      );
      level.descriptor = descriptor;
      try {
        if (!this.#descriptors) verify(level.path, level.path, descriptor);
        const id = idOf(fstatSync(descriptor, { bigint: true }));
        if (level.id !== '' && level.id !== id) throw new ReplacedError(level.path);
        level.id = id;
      } catch (error) {
        close(level);
        throw error;
      }
      if (next > MAX_OPEN) close(this.#levels[next - MAX_OPEN]);
    }
    return descriptor;
  }
}

function close(level: Level | undefined): void {
  if (level?.descriptor === undefined) return;
  closeSync(level.descriptor);
  level.descriptor = undefined;
}

export const join = (directory: string, name: string): string =>
  directory === '/' ? `/${name}` : `${directory}/${name}`;

export const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Whether descriptor paths are supported; throws when the descriptor refers to another path. */
function hasDescriptorPaths(descriptor: number, path: string, descriptors: string): boolean {
  try {
    if (readlinkSync(`${descriptors}/${descriptor}`) === path) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw new ReplacedError(path);
}

/** `directory` is the path itself for a directory, else its parent. */
function verify(path: string, directory: string, descriptor: number): void {
  const there = idOf(lstatSync(path, { bigint: true }));
  const opened = idOf(fstatSync(descriptor, { bigint: true }));
  if (realpathSync(directory) !== directory || there !== opened) throw new ReplacedError(path);
}
