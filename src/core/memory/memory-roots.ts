import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type Caller, isAdmin } from '../auth/caller.ts';
import type { Config } from '../config/config.ts';
import { AppError, messageOf } from '../errors.ts';
import { isInside } from '../tools/files/real-path.ts';
import { isSecretPlace } from '../tools/guards/secret-places.ts';
import type { SyncOrder } from './index/index-calls.ts';

/** What the system only shows as files. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev', '/run'];

export interface MemoryRootsParts {
  config: Config;
  /** Real places of the daemon's own folders. */
  protectedFolders: string[];
  /** Writes the setting in the name of a caller. */
  setRoots: (caller: Caller, roots: string[]) => Promise<void>;
}

/** The folders that may be indexed: only an administrator allows one. */
export class MemoryRoots {
  readonly #parts: MemoryRootsParts;
  constructor(parts: MemoryRootsParts) {
    this.#parts = parts;
  }

  /** As they were given. */
  get given(): string[] {
    return this.#parts.config.get('memory.roots');
  }

  /** What every sync goes by. Of a folder that is not there now the index keeps what it has. */
  async rules(): Promise<Omit<SyncOrder, 'basePath'>> {
    const { config } = this.#parts;
    const roots = await Promise.all(this.given.map((folder) => realpath(folder).catch(() => folder)));
    return {
      roots: [...new Set(roots)],
      maxFileBytes: config.get('memory.maxFileKiB') * 1024,
      maxFiles: config.get('memory.maxFiles'),
    };
  }

  /** The real places of all of them that are there, without those inside of others. */
  async all(): Promise<string[]> {
    const { roots } = await this.rules();
    if (roots.length === 0)
      throw new AppError('validation', 'No folder may be indexed yet. Give one: svc memory sync FOLDER');
    const there: string[] = [];
    for (const root of roots) if (await isFolder(root)) there.push(root);
    if (there.length === 0)
      throw new AppError('validation', `There is no folder ${roots.join(' or ')} at the moment`);
    return there.filter((root) => !there.some((other) => other !== root && isInside(other, root)));
  }

  /** The real place of a folder that the caller may have synced; an administrator's becomes a root. */
  async admit(caller: Caller, basePath: string): Promise<string> {
    const { roots } = await this.rules();
    const place = await placeOf(basePath);
    if (typeof place === 'string' && roots.some((root) => isInside(root, place))) return place;
    // Whoever may not sync it does not learn what is there either.
    if (!isAdmin(caller))
      throw new AppError('forbidden', 'Only an administrator can allow this folder to be indexed');
    if (typeof place !== 'string') throw place;
    if (SYSTEM_FOLDERS.some((folder) => isInside(folder, place)) || place === '/')
      throw new AppError('validation', `${place} is a folder of the system. Give one with texts`);
    if (isSecretPlace(place) || this.#parts.protectedFolders.some((folder) => isInside(folder, place)))
      throw new AppError('validation', `${place} is where secrets are kept`);
    await this.#parts.setRoots(caller, [...this.given, place]);
    return place;
  }
}

/** The real place of a folder, or what is wrong with it. */
async function placeOf(path: string): Promise<string | AppError> {
  if (!isAbsolute(path) || path.includes('\0') || !path.isWellFormed())
    return new AppError('validation', 'basePath: Expected the absolute path of a folder');
  try {
    const place = await realpath(path);
    return (await isFolder(place)) ? place : new AppError('validation', `${path} is no folder`);
  } catch (error) {
    return new AppError('validation', `There is no folder ${path}: ${messageOf(error)}`);
  }
}

const isFolder = (place: string) =>
  stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
