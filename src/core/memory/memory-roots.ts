import { realpath, stat } from 'node:fs/promises';
import { normalize } from 'node:path';
import { type Caller, isAdmin } from '../auth/caller.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import { isInside } from '../paths/real-path.ts';
import { isSecretPath } from '../paths/secret-paths.ts';
import { escapeInvisible } from '../text/escape-invisible.ts';
import { outermost } from './files/outermost.ts';
import type { SyncOrder } from './index/index-calls.ts';

/** What the system only shows as files, and what would be everything. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev', '/run'];

export interface MemoryRootsDeps {
  config: Config;
  /** Real places of the daemon's own folders. */
  protectedDirectories: string[];
  /** Writes the setting in the name of a caller. */
  setRoots: (caller: Caller, roots: string[]) => Promise<void>;
  /** The real place of a folder; rejects where there is none. */
  realFolder?: (path: string) => Promise<string>;
}

/** The folders that may be indexed: only an administrator allows one. */
export class MemoryRoots {
  readonly #deps: MemoryRootsDeps & { realFolder: (path: string) => Promise<string> };
  #admitting: Promise<unknown> = Promise.resolve();
  constructor(deps: MemoryRootsDeps) {
    this.#deps = { realFolder, ...deps };
  }

  /** As they were given. */
  get given(): string[] {
    return this.#deps.config.get('memory.roots');
  }

  /** What every sync goes by. Of a folder that is not there now the index keeps what it has. */
  rules(): Omit<SyncOrder, 'basePath'> {
    const { config } = this.#deps;
    return {
      roots: this.#allowed(),
      maxFileBytes: config.get('memory.maxFileKiB') * 1024,
      maxFiles: config.get('memory.maxFiles'),
    };
  }

  /** All of them that are there, without those inside of others, and why each of the others cannot be synced. */
  async all(): Promise<{ folders: string[]; faults: string[] }> {
    const { given } = this;
    if (given.length === 0)
      throw new AppError('validation', 'No folder may be indexed yet. Give one: svc memory sync FOLDER');
    const looked = await Promise.all(given.map((root) => this.#look(withoutSlash(root))));
    const faults = looked.flatMap(({ fault }) => fault ?? []);
    const folders = outermost(looked.flatMap(({ folder }) => folder ?? []));
    if (folders.length === 0) throw new AppError('validation', faults.join('. '));
    return { folders, faults };
  }

  /** The real place of a folder that the caller may have synced; an administrator's becomes a root. */
  async admit(caller: Caller, basePath: string): Promise<string> {
    const path = plainPath(basePath);
    const roots = this.#allowed();
    // Whoever may not sync a folder does not learn what is there, and nothing is touched.
    if (!isAdmin(caller) && !roots.some((root) => isInside(root, path))) throw forbidden();
    const place = await this.#place(path);
    if (roots.some((root) => isInside(root, place))) return place;
    if (!isAdmin(caller)) throw forbidden();
    const fault = this.#whyNever(place);
    if (fault !== undefined) throw new AppError('validation', fault);
    await this.#add(caller, place);
    return place;
  }

  /** A folder that is, or became, a link is none of them: it would lead to what nobody allowed. */
  async #look(root: string): Promise<{ folder?: string; fault?: string }> {
    const never = this.#whyNever(root);
    if (never !== undefined) return { fault: never };
    try {
      const place = await this.#deps.realFolder(root);
      if (place === root) return { folder: root };
      return {
        fault: `${escapeInvisible(root)} leads by a link to ${escapeInvisible(place)}. Allow that if it is meant`,
      };
    } catch (error) {
      onlyMissing(error);
      return { fault: `There is no folder ${escapeInvisible(root)} now` };
    }
  }

  #allowed(): string[] {
    const roots = this.given.map(withoutSlash);
    return [...new Set(roots)].filter((root) => this.#whyNever(root) === undefined);
  }

  #whyNever(place: string): string | undefined {
    const { protectedDirectories } = this.#deps;
    if (place === '/' || SYSTEM_FOLDERS.some((folder) => isInside(folder, place)))
      return `${escapeInvisible(place)} is a folder of the system. Give one that holds texts`;
    if (isSecretPath(place) || protectedDirectories.some((folder) => isInside(folder, place)))
      return `${escapeInvisible(place)} is where secrets are kept`;
    return undefined;
  }

  /** One after the other: two at once must not forget each other's. */
  async #add(caller: Caller, place: string): Promise<void> {
    const before = this.#admitting;
    const add = async () => {
      await before.catch(() => undefined);
      if (!this.given.includes(place)) await this.#deps.setRoots(caller, [...this.given, place]);
    };
    await (this.#admitting = add());
  }

  async #place(path: string): Promise<string> {
    try {
      return await this.#deps.realFolder(path);
    } catch (error) {
      onlyMissing(error);
      throw new AppError('validation', `There is no folder ${escapeInvisible(path)}`, { cause: error });
    }
  }
}

const forbidden = () =>
  new AppError('forbidden', 'Only an administrator can allow this folder to be indexed');

/** A path that says where it leads: no step back, and nothing that stands for something else. */
function plainPath(path: string): string {
  const plain = withoutSlash(path);
  if (plain.startsWith('/') && normalize(plain) === plain && !plain.includes('\0') && plain.isWellFormed())
    return plain;
  throw new AppError('validation', 'basePath: Expected the absolute path of a folder, without . or ..');
}

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path);

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
