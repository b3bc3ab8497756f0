import { hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnkeptReason } from '../../contract/changes.ts';
import { SerialByKey } from '../async/serial-by-key.ts';
import { codeOf } from '../paths/file-errors.ts';
import { projectRootOf } from '../paths/project-root.ts';
import { isInside } from '../paths/real-path.ts';
import { defaultPath } from '../processes/default-path.ts';
import { findProgram } from '../processes/find-program.ts';
import { GitFailed, pathLines, pathsIn, TooMuchOutput } from '../processes/run-git.ts';
import type { Runtime } from '../runtime.ts';
import { isUnchangedSince } from './file-times.ts';
import { MAX_KEPT_BYTES } from './file-state.ts';
import { PrivateGit } from './private-git.ts';

/** Beyond these a workspace is not watched: looking at it twice per command would take too long. */
export const snapshotLimits = { files: 20_000, bytes: 256 * 1024 * 1024, ms: 10_000 };
export type SnapshotLimits = typeof snapshotLimits;

/** Files that are looked at at a time. */
const BATCH = 64;
/** The snapshots that are remembered, to save the next ones where nothing changed. */
const MAX_REMEMBERED = 8;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** The files of a workspace at one moment. */
export interface Snapshot {
  git: PrivateGit;
  /** The root of the project; paths start there. */
  root: string;
  workspace: string;
  /** The id of a tree in the repository. */
  tree: string;
  files: ReadonlyMap<string, Stats>;
  /** When it was begun and complete, by the clock of the system, as the times of files are. */
  begunAt: number;
  takenAt: number;
}

/** Why no snapshot could be taken. */
export class NoSnapshot extends Error {
  readonly reason: UnkeptReason;
  constructor(reason: UnkeptReason, cause?: unknown) {
    super(`No snapshot: ${reason}`, { cause });
    this.reason = reason;
  }
}

export interface SnapshotDeps {
  /** A private directory. */
  directory: string;
  /** The real path of the home directory of the person. */
  home: string;
  /** The real paths of the daemon's own directories. */
  protectedDirectories: readonly string[];
  env: Record<string, string | undefined>;
  runtime: Pick<Runtime, 'now'>;
  /** What a workspace may have to be watched. */
  bounds?: SnapshotLimits;
}

/** Takes snapshots of workspaces in repositories of svc's own, without what `.gitignore` and `node_modules` leave out. */
export class WorkspaceSnapshots {
  readonly #deps: SnapshotDeps;
  readonly #serial = new SerialByKey();
  /** How many commands run in each workspace, by the name of its repository. */
  readonly #watched = new Map<string, number>();
  /** Of the git of this machine; undefined until it is known. */
  #bulkOptions: string[] | undefined;
  /** The latest snapshots, by the names of their repositories, the oldest first. */
  readonly #last = new Map<string, Snapshot>();
  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
  }

  /** Throws a `NoSnapshot`. */
  async take(workspace: string): Promise<Snapshot> {
    const { ms } = this.#limits;
    const signal = AbortSignal.timeout(ms);
    try {
      const root = await this.#rootOf(workspace);
      const name = nameOf(root, workspace);
      const take = () => this.#take(name, { root, workspace, signal });
      return await this.#serial.enqueue(name, () =>
        // Files may change while git reads them.
        take().catch((error: unknown) => {
          if (error instanceof GitFailed && !(error instanceof TooMuchOutput)) return take();
          throw error;
        }),
      );
    } catch (error) {
      if (error instanceof NoSnapshot) throw error;
      if (signal.aborted) throw new NoSnapshot('too_slow', error);
      if (error instanceof TooMuchOutput) throw new NoSnapshot('too_many_files', error);
      throw new NoSnapshot('failed', error);
    }
  }

  /** Keeps the repository of a snapshot until it is released. */
  watch({ root, workspace }: Snapshot): { [Symbol.dispose]: () => void } {
    const name = nameOf(root, workspace);
    const change = (by: 1 | -1) => this.#watched.set(name, (this.#watched.get(name) ?? 0) + by);
    change(1);
    return { [Symbol.dispose]: () => void change(-1) };
  }

  /** Removes the repositories that are not in use and have not been for a day, or are older than a week. */
  async tidy(): Promise<void> {
    const now = this.#deps.runtime.now().getTime();
    const names = await readdir(this.#deps.directory).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of names)
      await this.#serial.enqueue(name, async () => {
        const path = join(this.#deps.directory, name);
        const used = await stat(path);
        const created = await stat(join(path, 'config')).catch(() => used);
        const isOld = now - used.mtimeMs > DAY_MS || now - created.mtimeMs > WEEK_MS;
        if (!isOld || this.#watched.get(name)) return;
        this.#last.delete(name);
        await rm(path, { recursive: true, force: true });
      });
  }

  get #limits(): SnapshotLimits {
    return this.#deps.bounds ?? snapshotLimits;
  }

  /** A repository that holds the home directory, such as one for its settings, ignores nearly everything. */
  async #rootOf(workspace: string): Promise<string> {
    const { home, protectedDirectories } = this.#deps;
    if (isInside(workspace, home)) throw new NoSnapshot('home');
    if (protectedDirectories.some((own) => isInside(workspace, own))) throw new NoSnapshot('home');
    const root = await projectRootOf(workspace);
    return isInside(root, home) ? workspace : root;
  }

  async #take(
    name: string,
    { root, workspace, signal }: { root: string; workspace: string; signal: AbortSignal },
  ): Promise<Snapshot> {
    const { directory, env, runtime } = this.#deps;
    const program = await findProgram('git', env['PATH'] ?? defaultPath);
    if (program === undefined || isInside(workspace, program)) throw new NoSnapshot('no_git');
    const path = join(directory, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    const git = new PrivateGit(path, program);
    await git.create();
    const now = runtime.now();
    await utimes(path, now, now);
    const begunAt = Date.now();
    const options = { workTree: root, cwd: workspace, signal };
    const listing = ['ls-files', '-z', '--full-name'];
    const others = [...listing, '--others', '--exclude-standard', '--exclude=node_modules/'];
    const listed = pathsIn(
      // With an index that has nothing, all files are others.
      await git.run(others, { ...options, index: join(path, 'none'), maxBytes: this.#limits.files * 200 }),
      // A repository in the workspace ends in a slash; it is not looked into.
    ).filter((file) => !file.endsWith('/'));
    if (listed.length > this.#limits.files) throw new NoSnapshot('too_many_files');
    const files = await this.#inspect(root, listed, signal);
    const last = this.#last.get(name);
    if (last && isUnchangedSince(last.begunAt, last.files, files)) return { ...last, takenAt: Date.now() };
    const known = pathsIn(await git.run([...listing, '--cached'], options));
    const gone = known.filter((file) => !files.has(file));
    this.#bulkOptions ??= await git.bulkOptions(options);
    const update = [...this.#bulkOptions, 'update-index', '-z'];
    const inRoot = { ...options, cwd: root };
    if (gone.length > 0)
      await git.run([...update, '--force-remove', '--stdin'], { ...inRoot, stdin: pathLines(gone) });
    await git.run([...update, '--add', '--remove', '--replace', '--stdin'], {
      ...inRoot,
      stdin: pathLines(files.keys()),
    });
    const tree = (await git.run(['write-tree'], options)).toString().trim();
    const snapshot = { git, root, workspace, tree, files, begunAt, takenAt: Date.now() };
    this.#last.delete(name);
    this.#last.set(name, snapshot);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_REMEMBERED && oldest !== undefined) this.#last.delete(oldest);
    return snapshot;
  }

  /** The regular files and links that can be read. */
  async #inspect(root: string, paths: readonly string[], signal: AbortSignal): Promise<Map<string, Stats>> {
    const files = new Map<string, Stats>();
    let bytes = 0;
    for (let at = 0; at < paths.length; at += BATCH) {
      signal.throwIfAborted();
      const batch = paths.slice(at, at + BATCH);
      const found = await Promise.all(batch.map((path) => inspect(join(root, path))));
      for (const [index, file] of found.entries()) {
        if (!file) continue;
        files.set(batch[index] ?? '', file);
        bytes += file.size;
      }
      if (bytes > this.#limits.bytes) throw new NoSnapshot('too_large');
    }
    return files;
  }
}

const nameOf = (root: string, workspace: string) => hash('sha256', `${root}\0${workspace}`).slice(0, 32);

async function inspect(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.size > MAX_KEPT_BYTES) return undefined;
  if (found.isSymbolicLink()) return found;
  if (!found.isFile()) return undefined;
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? found : undefined;
}
