import { isUtf8 } from 'node:buffer';
import { type BigIntStats, lstatSync, opendirSync } from 'node:fs';
import { codeOf } from '../../paths/file-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import { isSecretPath } from '../../paths/secret-paths.ts';
import { idOf, join, OpenFolders } from './open-folders.ts';
import type { SkippedFiles, SkipReason } from './skipped-files.ts';
import { foldersBetween, WalkRules } from './walk-rules.ts';

/** Entries between two chances to pause. */
const STEP = 500;
/** What is not there any more, or is a link by now. */
export const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

export interface WalkDeps {
  /** Real places of all folders that may be indexed. */
  roots: string[];
  /** Real places of folders of which nothing is indexed. */
  protectedDirectories: string[];
  maxFileBytes: number;
  skipped: SkippedFiles;
}

export interface FoundFile {
  path: string;
  stats: BigIntStats;
}

/** A file, or a chance to pause; `listing` is one at which the walk cannot be left for another time. */
export type WalkStep = FoundFile | 'listing' | 'judging';

interface Frame {
  path: string;
  rules: WalkRules;
  /** Names of entries that are still to be looked at, the next one last. */
  folders: string[];
  others: string[];
}

/** All regular files at or below a place that may be indexed, without following a link. */
export class TreeWalk {
  readonly #unseen = new Set<string>();
  readonly #deps: WalkDeps;
  /** Roots that the walk did not come to yet. */
  readonly #otherRoots: Set<string>;
  readonly #protectedIds: Set<string>;
  /** Places to begin at. */
  #ahead: string[] = [];
  #frames: Frame[] = [];

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    this.#otherRoots = new Set(deps.roots);
    this.#protectedIds = new Set(deps.protectedDirectories.flatMap(identityOf));
  }

  /** What a walk that was not finished would still have seen. */
  get left(): string[] {
    const inFolders = this.#frames.flatMap(({ path, folders, others }) =>
      [...others, ...folders].map((name) => join(path, name)),
    );
    return [...inFolders, ...this.#ahead];
  }

  /** Of those paths that the walk did not come by, the ones that are not there, or not to be indexed. */
  missing<Path extends string>(paths: Iterable<Path>): Path[] {
    const unknown = new Set([...this.#unseen, ...this.left]);
    if (unknown.size === 0) return [...paths];
    return [...paths].filter((path) => !foldersBetween('/', path).some((place) => unknown.has(place)));
  }

  /**
   * Goes through a place that is at or below a root, the files of a folder before the folders in it, by their names. What
   * was chosen inside of it is walked, too, where its rules leave that out.
   */
  *from(place: string): Generator<WalkStep> {
    const inner = this.#deps.roots.filter((root) => root !== place && isInside(place, root));
    this.#ahead = [...inner.sort().reverse(), place];
    for (let next = this.#ahead.pop(); next !== undefined; next = this.#ahead.pop())
      if (next === place || this.#otherRoots.has(next)) yield* this.#begin(next);
  }

  *#begin(place: string): Generator<WalkStep> {
    const { roots, protectedDirectories, skipped } = this.#deps;
    const around = roots.filter((root) => isInside(root, place)).sort((a, b) => a.length - b.length);
    const [outermost, root] = [around[0], around.at(-1)];
    if (outermost === undefined || root === undefined) return;
    if (isSecretPath(root)) return skipped.add('secret');
    if (protectedDirectories.some((folder) => isInside(folder, root))) return skipped.add('protected');
    this.#frames = [];
    let folders: OpenFolders;
    try {
      folders = new OpenFolders(root);
    } catch (error) {
      // A disk that is not there now may come back; what is gone of one that is there is gone.
      if (identityOf(outermost).length === 0) this.#unseen.add(outermost);
      return this.#lose(root, error);
    }
    using opened = folders;
    let above: WalkRules;
    try {
      above = WalkRules.above(root, outermost);
    } catch (error) {
      return this.#lose(root, error);
    }
    const rules = this.#admit(opened, above);
    if (rules) yield* this.#goDown(opened, rules, place);
  }

  *#goDown(folders: OpenFolders, above: WalkRules, place: string): Generator<WalkStep> {
    let rules = above;
    for (const name of place.slice(folders.path.length).split('/').filter(Boolean)) {
      const path = join(folders.path, name);
      const stats = this.#look(folders, rules, name);
      if (!stats) return;
      if (!stats.isDirectory()) {
        if (path === place && this.#takes(stats)) yield { path, stats };
        return;
      }
      const within = this.#enter(folders, rules, name);
      if (!within) return;
      rules = within;
    }
    yield* this.#walk(folders, rules);
  }

  *#walk(folders: OpenFolders, rules: WalkRules): Generator<WalkStep> {
    yield* this.#list(folders, rules);
    let steps = 0;
    for (let frame = this.#frames.at(-1); frame; frame = this.#frames.at(-1)) {
      if (++steps % STEP === 0) yield 'judging';
      const name = frame.others.pop();
      if (name !== undefined) {
        const stats = this.#look(folders, frame.rules, name);
        if (stats && this.#takes(stats)) yield { path: join(frame.path, name), stats };
        continue;
      }
      const below = frame.folders.pop();
      if (below === undefined) {
        this.#frames.pop();
        if (this.#frames.length > 0) folders.leave();
        continue;
      }
      if (!this.#allows(frame.rules, join(frame.path, below), below, true)) continue;
      const within = this.#enter(folders, frame.rules, below);
      if (within) yield* this.#list(folders, within);
    }
  }

  /** Reads the names in the folder that was just entered. */
  *#list(folders: OpenFolders, rules: WalkRules): Generator<WalkStep> {
    const frame: Frame = { path: folders.path, rules, folders: [], others: [] };
    this.#frames.push(frame);
    try {
      const entries = opendirSync(folders.way, { encoding: 'buffer' as BufferEncoding, bufferSize: STEP });
      try {
        let count = 0;
        for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
          if (++count % STEP === 0) yield 'listing';
          const name = entry.name as unknown as Buffer;
          if (!isUtf8(name)) this.#deps.skipped.add('name is not UTF-8');
          else (entry.isDirectory() ? frame.folders : frame.others).push(name.toString('utf8'));
        }
      } finally {
        entries.closeSync();
      }
    } catch (error) {
      frame.folders = [];
      frame.others = [];
      this.#lose(frame.path, error);
    }
    frame.folders.sort().reverse();
    frame.others.sort().reverse();
  }

  /** What is there, where it may be looked at. */
  #look(folders: OpenFolders, rules: WalkRules, name: string): BigIntStats | undefined {
    const path = join(folders.path, name);
    try {
      const stats = folders.stat(name);
      return this.#allows(rules, path, name, stats.isDirectory()) ? stats : undefined;
    } catch (error) {
      return this.#lose(path, error);
    }
  }

  #allows(rules: WalkRules, path: string, name: string, isFolder: boolean): boolean {
    const reason = rules.leavesOut(path, name, isFolder);
    if (reason && reason !== 'ignored') this.#deps.skipped.add(reason);
    return reason === undefined;
  }

  #takes(stats: BigIntStats): boolean {
    const reason = whyNot(stats, this.#deps.maxFileBytes);
    if (reason) this.#deps.skipped.add(reason);
    return reason === undefined;
  }

  #enter(folders: OpenFolders, rules: WalkRules, name: string): WalkRules | undefined {
    try {
      folders.enter(name);
    } catch (error) {
      return this.#lose(join(folders.path, name), error);
    }
    const within = this.#admit(folders, rules);
    if (!within) folders.leave();
    return within;
  }

  /** The rules of a folder that was just opened; undefined where nothing of it is indexed. */
  #admit(folders: OpenFolders, rules: WalkRules): WalkRules | undefined {
    const { path } = folders;
    this.#otherRoots.delete(path);
    if (this.#protectedIds.has(folders.id)) return this.#refuse('protected');
    if (folders.isLoop) return this.#refuse('link');
    try {
      return rules.within(folders) ?? this.#refuse('too many ignore rules');
    } catch (error) {
      return this.#lose(path, error);
    }
  }

  #refuse(reason: SkipReason): undefined {
    this.#deps.skipped.add(reason);
  }

  /** Takes note of what cannot be seen; what is gone is only not there. */
  #lose(path: string, error: unknown): undefined {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (GONE.includes(code)) return;
    this.#deps.skipped.add('unreadable');
    this.#unseen.add(path);
  }
}

function whyNot(stats: BigIntStats, maxFileBytes: number): SkipReason | undefined {
  if (stats.isSymbolicLink()) return 'link';
  if (!stats.isFile()) return 'not a regular file';
  return stats.size > BigInt(maxFileBytes) ? 'too large' : undefined;
}

function identityOf(folder: string): string[] {
  const stats = lstatSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats ? [idOf(stats)] : [];
}
