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
import type { SyncRequest } from './index/index-calls.ts';
import type { SharedMemory } from './shared/shared-memory.ts';

/** Virtual file systems, never indexed. */
const SYSTEM_DIRECTORIES = ['/proc', '/sys', '/dev', '/run'];

export interface MemoryRootsDeps {
  config: Config;
  /** Real paths of the daemon's own directories. */
  protectedDirectories: string[];
  /** Writes the setting on behalf of a caller. */
  setRoots: (caller: Caller, roots: string[]) => Promise<void>;
  /** The real path of a directory; rejects when there is none. */
  realDirectory?: (path: string) => Promise<string>;
  /** What other daemons have indexed too. */
  shared?: Pick<SharedMemory, 'reads' | 'elsewhere'> | undefined;
}

/** The directories that may be indexed. Only an administrator can add one. */
export class MemoryRoots {
  readonly #deps: MemoryRootsDeps & { realDirectory: (path: string) => Promise<string> };
  #pendingWrite: Promise<unknown> = Promise.resolve();
  constructor(deps: MemoryRootsDeps) {
    this.#deps = { realDirectory, ...deps };
  }

  /** As configured. */
  get configured(): string[] {
    return this.#deps.config.get('memory.roots');
  }

  /** The limits of every sync. The index keeps what it has of a root that is missing now. */
  rules(): Omit<SyncRequest, 'basePath'> {
    const { config, shared } = this.#deps;
    const roots = this.#allowed();
    return {
      roots: shared ? roots.filter((root) => shared.reads(root)) : roots,
      ...(shared && { elsewhere: shared.elsewhere() }),
      maxFileBytes: config.get('memory.maxFileKiB') * 1024,
      maxFiles: config.get('memory.maxFiles'),
    };
  }

  /** The roots without nested ones, also those that do not exist now. */
  outermost(): string[] {
    return outermost(this.#allowed());
  }

  /** All existing roots without nested ones, and an error for each that cannot be synced. */
  async resolveAll(): Promise<{ directories: string[]; errors: string[] }> {
    const { configured: roots } = this;
    if (roots.length === 0 && this.#deps.shared && this.#deps.shared.elsewhere().length > 0)
      return { directories: [], errors: [] };
    if (roots.length === 0)
      throw new AppError('validation', 'No folder is indexed yet. Index one: svc memory sync FOLDER');
    const checked = await Promise.all(roots.map((root) => this.#check(withoutSlash(root))));
    const errors = checked.flatMap(({ error }) => error ?? []);
    const directories = outermost(checked.flatMap(({ directory }) => directory ?? []));
    if (directories.length === 0) throw new AppError('validation', errors.join('. '));
    return { directories, errors };
  }

  /** The real path of a directory that the caller may sync. For an administrator it becomes a root. */
  async authorize(caller: Caller, basePath: string): Promise<string> {
    const path = requirePlainPath(basePath);
    const roots = this.#allowed();
    // A caller without permission must not learn what exists, so the file system is not touched.
    if (!isAdmin(caller) && !roots.some((root) => isInside(root, path))) throw forbidden();
    const realPath = await this.#resolve(path);
    if (roots.some((root) => isInside(root, realPath))) return realPath;
    if (!isAdmin(caller)) throw forbidden();
    const error = this.#rejectionReason(realPath);
    if (error !== undefined) throw new AppError('validation', error);
    await this.#add(caller, realPath);
    return realPath;
  }

  /** Rejects a root that is or became a symlink: it would lead to a directory that was never allowed. */
  async #check(root: string): Promise<{ directory?: string; error?: string }> {
    const rejection = this.#rejectionReason(root);
    if (rejection !== undefined) return { error: rejection };
    try {
      const realPath = await this.#deps.realDirectory(root);
      if (realPath === root) return { directory: root };
      return {
        error: `${escapeInvisible(root)} leads through a symlink to ${escapeInvisible(realPath)}. Sync that folder if it is the one you mean`,
      };
    } catch (error) {
      assertUnavailable(error);
      return { error: `There is no folder ${escapeInvisible(root)} now` };
    }
  }

  #allowed(): string[] {
    const roots = this.configured.map(withoutSlash);
    return [...new Set(roots)].filter((root) => this.#rejectionReason(root) === undefined);
  }

  #rejectionReason(realPath: string): string | undefined {
    const { protectedDirectories } = this.#deps;
    if (realPath === '/' || SYSTEM_DIRECTORIES.some((directory) => isInside(directory, realPath)))
      return `${escapeInvisible(realPath)} is a system folder. Choose a folder with documents`;
    if (isSecretPath(realPath) || protectedDirectories.some((directory) => isInside(directory, realPath)))
      return `${escapeInvisible(realPath)} holds secrets and is never indexed`;
    return undefined;
  }

  /** Serialized, so that concurrent calls do not overwrite each other's roots. */
  async #add(caller: Caller, realPath: string): Promise<void> {
    const before = this.#pendingWrite;
    const add = async () => {
      await before.catch(() => undefined);
      if (!this.configured.includes(realPath))
        await this.#deps.setRoots(caller, [...this.configured, realPath]);
    };
    await (this.#pendingWrite = add());
  }

  async #resolve(path: string): Promise<string> {
    try {
      return await this.#deps.realDirectory(path);
    } catch (error) {
      assertUnavailable(error);
      throw new AppError('validation', `There is no folder ${escapeInvisible(path)}`, { cause: error });
    }
  }
}

const forbidden = () =>
  new AppError('forbidden', 'Only an administrator can allow this folder to be indexed');

/** Requires an absolute path without `.`, `..` and duplicate slashes. */
function requirePlainPath(path: string): string {
  const plain = withoutSlash(path);
  if (plain.startsWith('/') && normalize(plain) === plain && !plain.includes('\0') && plain.isWellFormed())
    return plain;
  throw new AppError('validation', 'basePath: Expected the absolute path of a folder, without . or ..');
}

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path);

async function realDirectory(path: string): Promise<string> {
  const realPath = await realpath(path);
  if (!(await stat(realPath)).isDirectory())
    throw Object.assign(new Error('Not a directory'), { code: 'ENOTDIR' });
  return realPath;
}

/** Rethrows everything but a missing or inaccessible directory. */
function assertUnavailable(error: unknown): undefined {
  const expected = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EIO', 'ESTALE'];
  if (!expected.includes(codeOf(error) ?? '')) throw error;
}
