import { realpath, stat } from 'node:fs/promises';
import { normalize } from 'node:path';
import { type Caller, isAdmin } from '../auth/caller.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { codeOf } from '../tools/files/file-failure.ts';
import { isInside } from '../tools/files/real-path.ts';
import { isSecretPlace } from '../tools/guards/secret-places.ts';
import { showName } from '../tools/show-name.ts';
import type { SyncOrder } from './index/index-calls.ts';

/** What the system only shows as files, and what would be everything. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev', '/run'];

export interface MemoryRootsParts {
  config: Config;
  /** Real places of the daemon's own folders. */
  protectedFolders: string[];
  /** Writes the setting in the name of a caller. */
  setRoots: (caller: Caller, roots: string[]) => Promise<void>;
  /** The real place of a folder; rejects where there is none. */
  realFolder?: (path: string) => Promise<string>;
}

/** The folders that may be indexed: only an administrator allows one. */
export class MemoryRoots {
  readonly #parts: MemoryRootsParts & { realFolder: (path: string) => Promise<string> };
  #admitting: Promise<unknown> = Promise.resolve();
  constructor(parts: MemoryRootsParts) {
    this.#parts = { realFolder, ...parts };
  }

  /** As they were given. */
  get given(): string[] {
    return this.#parts.config.get('memory.roots');
  }

  /** What every sync goes by. Of a folder that is not there now the index keeps what it has. */
  async rules(): Promise<Omit<SyncOrder, 'basePath'>> {
    const { config, realFolder } = this.#parts;
    const roots = await Promise.all(this.given.map((folder) => realFolder(folder).catch(() => folder)));
    return {
      roots: [...new Set(roots)],
      maxFileBytes: config.get('memory.maxFileKiB') * 1024,
      maxFiles: config.get('memory.maxFiles'),
    };
  }

  /** The real places of all of them that are there, without those inside of others. */
  async all(): Promise<string[]> {
    const { given } = this;
    if (given.length === 0)
      throw new AppError('validation', 'No folder may be indexed yet. Give one: svc memory sync FOLDER');
    const found = await Promise.all(
      given.map((root) => this.#parts.realFolder(root).catch((error: unknown) => onlyMissing(error))),
    );
    const there = [...new Set(found.filter((root) => root !== undefined))];
    if (there.length === 0)
      throw new AppError('validation', `There is no folder ${given.map(showName).join(' or ')} now`);
    return there.filter((root) => !there.some((other) => other !== root && isInside(other, root)));
  }

  /** The real place of a folder that the caller may have synced; an administrator's becomes a root. */
  async admit(caller: Caller, basePath: string): Promise<string> {
    const path = plainPath(basePath);
    const { roots } = await this.rules();
    const isAllowed = (place: string) => [...roots, ...this.given].some((root) => isInside(root, place));
    // Whoever may not sync a folder does not learn what is there, and nothing is touched.
    if (!isAdmin(caller) && !isAllowed(path)) throw forbidden();
    const place = await this.#place(path);
    if (roots.some((root) => isInside(root, place))) return place;
    if (!isAdmin(caller)) throw forbidden();
    const { protectedFolders } = this.#parts;
    if (place === '/' || SYSTEM_FOLDERS.some((folder) => isInside(folder, place)))
      throw new AppError('validation', `${place} is a folder of the system. Give one that holds texts`);
    if (isSecretPlace(place) || protectedFolders.some((folder) => isInside(folder, place)))
      throw new AppError('validation', `${showName(place)} is where secrets are kept`);
    await this.#add(caller, place);
    return place;
  }

  /** One after the other: two at once must not forget each other's. */
  async #add(caller: Caller, place: string): Promise<void> {
    const before = this.#admitting;
    const add = async () => {
      await before.catch(() => undefined);
      if (!this.given.includes(place)) await this.#parts.setRoots(caller, [...this.given, place]);
    };
    await (this.#admitting = add());
  }

  async #place(path: string): Promise<string> {
    try {
      return await this.#parts.realFolder(path);
    } catch (error) {
      onlyMissing(error);
      throw new AppError('validation', `There is no folder ${showName(path)}`, { cause: error });
    }
  }
}

const forbidden = () =>
  new AppError('forbidden', 'Only an administrator can allow this folder to be indexed');

/** A path that says where it leads: no step back, and nothing that stands for something else. */
function plainPath(path: string): string {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (plain.startsWith('/') && normalize(plain) === plain && !plain.includes('\0') && plain.isWellFormed())
    return plain;
  throw new AppError('validation', 'basePath: Expected the absolute path of a folder, without . or ..');
}

async function realFolder(path: string): Promise<string> {
  const place = await realpath(path);
  if (!(await stat(place)).isDirectory()) throw Object.assign(new Error('No folder'), { code: 'ENOTDIR' });
  return place;
}

/** Anything but a folder that is not there, or not for us, is a bug. */
function onlyMissing(error: unknown): undefined {
  const expected = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EIO', 'ESTALE'];
  if (!expected.includes(codeOf(error) ?? '')) throw error;
}
