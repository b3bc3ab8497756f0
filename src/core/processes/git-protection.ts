import { lstat, mkdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../paths/file-errors.ts';
import { type GitHome, gitConfiguredPaths } from '../paths/git-configured-paths.ts';
import { isInside } from '../paths/real-path.ts';

/** Files of a repository that git runs, or reads settings and other directories from. */
export const executed = ['hooks', 'config', 'config.worktree', 'commondir'] as const;
/** More of them, which have no effect where they are missing. */
const included = ['gitdir', 'modules', 'worktrees', 'remotes', 'branches'] as const;

/** The content of a placeholder: as `commondir`, it means the directory itself. No git writes it in this form. */
export const placeholder: Record<string, string> = {
  config: '',
  'config.worktree': '',
  commondir: '././.\n',
};

/** Whether a directory with these entries is a repository, or the part of one that belongs to a worktree. */
export const isRepositoryListing = (names: ReadonlySet<string>): boolean =>
  (names.has('HEAD') && names.has('commondir')) || (names.has('objects') && names.has('refs'));

export interface GitMount {
  path: string;
  isReadOnly: boolean;
}

export interface ProtectedRepositories extends AsyncDisposable {
  mounts: GitMount[];
}

/**
 * Keeps sandboxed commands from changing what git executes or includes in repositories, and from replacing it: a mount point
 * cannot be removed or renamed. What is missing gets a placeholder while a command runs, because only files can be mounts.
 */
export class GitProtection {
  /** How many commands need each placeholder. */
  readonly #uses = new Map<string, number>();
  readonly #person: GitHome;

  constructor(person: GitHome = {}) {
    this.#person = person;
  }

  /** The mounts for the repositories of a workspace, which hold until the result is disposed. */
  async protect(workspace: string, repositories: readonly string[]): Promise<ProtectedRepositories> {
    const mounts: GitMount[] = [];
    const placed: string[] = [];
    const release = async () => {
      for (const path of placed.splice(0)) await this.#release(path);
    };
    try {
      // Parents first: what is inside a read-only directory needs no mount, and must not become writable.
      for (const repository of [...repositories].sort()) {
        if (mounts.some(({ path, isReadOnly }) => isReadOnly && isInside(path, repository))) continue;
        mounts.push(...(await this.#mountsOf(workspace, repository, placed)));
        mounts.push(...(await this.#configuredMounts(workspace, repository)));
      }
      mounts.push(...(await this.#configuredMounts(workspace)));
    } catch (error) {
      await release();
      throw error;
    }
    return { mounts, [Symbol.asyncDispose]: release };
  }

  async #mountsOf(workspace: string, repository: string, placed: string[]): Promise<GitMount[]> {
    const kind = await entryOf(repository);
    // A file that leads to the repository.
    if (kind?.isFile()) return [{ path: repository, isReadOnly: true }];
    if (!kind?.isDirectory()) return [];
    const entries = await Promise.all(
      [...executed, ...included].map(async (name) => ({
        name,
        entry: await entryOf(join(repository, name)),
      })),
    );
    const links = entries.filter(({ entry }) => entry?.isSymbolicLink());
    // A link cannot be a mount, so that only a read-only directory keeps it.
    if (links.length > 0) {
      const targets = await Promise.all(
        links.map(({ name }) => realpath(join(repository, name)).catch(() => undefined)),
      );
      const inside = targets.filter(
        (path) => path !== undefined && path !== workspace && isInside(workspace, path),
      );
      return [repository, ...inside].map((path) => ({ path: path ?? repository, isReadOnly: true }));
    }
    const mounts: GitMount[] = [{ path: repository, isReadOnly: false }];
    for (const { name, entry } of entries) {
      const path = join(repository, name);
      const isExecuted = (executed as readonly string[]).includes(name);
      if (isExecuted && (!entry || this.#uses.has(path) || (await isLeftOver(path, name)))) {
        if (!(await this.#place(path, name))) continue;
        placed.push(path);
      } else if (!entry) continue;
      mounts.push({ path, isReadOnly: true });
    }
    return mounts;
  }

  /** What the settings of a repository or of the person name in the workspace, such as a directory of hooks. */
  async #configuredMounts(workspace: string, repository?: string): Promise<GitMount[]> {
    const mounts: GitMount[] = [];
    for (const named of await gitConfiguredPaths(repository, this.#person)) {
      const path = await realpath(named).catch(() => undefined);
      const isHere = path !== undefined && path !== workspace && isInside(workspace, path);
      if (isHere) mounts.push({ path, isReadOnly: true });
    }
    return mounts;
  }

  /** Creates a placeholder, or counts one more use of it; false if no file can be created there. */
  async #place(path: string, name: string): Promise<boolean> {
    const uses = this.#uses.get(path) ?? 0;
    this.#uses.set(path, uses + 1);
    try {
      const content = placeholder[name];
      if (content === undefined) await mkdir(path);
      else await writeFile(path, content, { flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return true;
      this.#uses.set(path, uses);
      if (uses === 0) this.#uses.delete(path);
      if (['EACCES', 'EROFS', 'EPERM'].includes(codeOf(error) ?? '')) return false;
      throw error;
    }
  }

  async #release(path: string): Promise<void> {
    const uses = (this.#uses.get(path) ?? 1) - 1;
    this.#uses.set(path, uses);
    if (uses > 0) return;
    this.#uses.delete(path);
    const name = path.split('/').at(-1) ?? '';
    // A file written outside the sandbox meanwhile is no placeholder.
    if (name === 'hooks') await rmdir(path).catch(ignoreUsed);
    else if (await isLeftOver(path, name)) await rm(path, { force: true });
  }
}

const entryOf = (path: string) => lstat(path).catch(() => undefined);

/** Whether a file is a placeholder, such as one of a daemon that was killed. */
async function isLeftOver(path: string, name: string): Promise<boolean> {
  const content = placeholder[name];
  if (content === undefined || name === 'config') return false;
  return (await readFile(path, 'utf8').catch(() => undefined)) === content;
}

function ignoreUsed(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
}
