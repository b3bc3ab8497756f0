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
const FOLDER = O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK;
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** Of a deep path, only so many folders at its end stay open. */
const OPEN_AT_MOST = 64;

interface Level {
  path: string;
  /** `dev:ino`. */
  id: string;
  descriptor: number | undefined;
}

/** The place is not what it was when it was looked at. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
  readonly code = 'ENOENT';
  constructor(path: string) {
    super(`${path} was replaced while it was opened`);
  }
}

/**
 * The way from a folder down to one below it, each opened through the one above: no link that is put in the way leads
 * elsewhere. Where the system does not tell of descriptors, each place is looked up anew.
 */
export class OpenFolders implements Disposable {
  readonly #levels: Level[] = [];
  readonly #descriptors: string | undefined;

  /** `base` is a real place. */
  constructor(base: string, descriptors = DESCRIPTORS) {
    const descriptor = openSync(base, FOLDER);
    try {
      this.#descriptors = isTold(descriptor, base, descriptors) ? descriptors : undefined;
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

  /** What no other folder has, wherever else it is mounted. */
  get id(): string {
    return this.#top.id;
  }

  /** Whether the folder is one of those above it, mounted once more. */
  get isLoop(): boolean {
    const { id } = this.#top;
    return this.#levels.findIndex((level) => level.id === id) < this.#levels.length - 1;
  }

  /** A path to the folder that leads nowhere else until the next step. */
  get way(): string {
    const descriptor = this.#open(this.#levels.length - 1);
    return this.#descriptors === undefined ? this.path : `${this.#descriptors}/${descriptor}`;
  }

  stat(name: string): BigIntStats {
    return lstatSync(`${this.way}/${name}`, { bigint: true });
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

  /** Goes to a folder at or below the base. */
  goTo(folder: string): void {
    while (this.#levels.length > 1 && !isInside(this.path, folder)) this.leave();
    const rest = folder.slice(this.path.length).split('/').filter(Boolean);
    for (const name of rest) this.enter(name);
  }

  /** Opens a file of the folder that is no link; it may be no regular one. */
  openFile(name: string): number {
    const descriptor = openSync(`${this.way}/${name}`, FILE);
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
    if (!top) throw new Error('These folders are closed');
    return top;
  }

  /** Opens a level that is not open any more, or not yet. */
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
        FOLDER,
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
      if (next > OPEN_AT_MOST) close(this.#levels[next - OPEN_AT_MOST]);
    }
    return descriptor;
  }
}

function close(level: Level | undefined): void {
  if (level?.descriptor === undefined) return;
  closeSync(level.descriptor);
  level.descriptor = undefined;
}

export const join = (folder: string, name: string): string =>
  folder === '/' ? `/${name}` : `${folder}/${name}`;

export const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Whether the system told the descriptor's own place; throws where it is another. */
function isTold(descriptor: number, place: string, descriptors: string): boolean {
  try {
    if (readlinkSync(`${descriptors}/${descriptor}`) === place) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw new ReplacedError(place);
}

/** `folder` is the place itself where that is a folder, else the one above it. */
function verify(place: string, folder: string, descriptor: number): void {
  const there = idOf(lstatSync(place, { bigint: true }));
  const opened = idOf(fstatSync(descriptor, { bigint: true }));
  if (realpathSync(folder) !== folder || there !== opened) throw new ReplacedError(place);
}
