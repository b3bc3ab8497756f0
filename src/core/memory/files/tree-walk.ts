import { isUtf8 } from 'node:buffer';
import { type BigIntStats, lstatSync, opendirSync } from 'node:fs';
import { codeOf } from '../../paths/file-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import { isSecretPath } from '../../paths/secret-paths.ts';
import { idOf, join, DirectoryCursor } from './directory-cursor.ts';
import type { SkippedFiles, SkipReason } from './skipped-files.ts';
import { directoriesBetween, WalkRules } from './walk-rules.ts';

/** Entries between two chances to yield. */
const STEP = 500;
/** Error codes for paths that are missing or became a symlink. */
export const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

export interface WalkDeps {
  /** Real paths of all roots. */
  roots: string[];
  /** Real paths of directories that are never indexed. */
  protectedDirectories: string[];
  maxFileBytes: number;
  skipped: SkippedFiles;
}

export interface FoundFile {
  path: string;
  stats: BigIntStats;
}

/** A file, or a chance to yield. At `listing` the walk cannot be interrupted. */
export type WalkStep = FoundFile | 'listing' | 'judging';

interface Frame {
  path: string;
  rules: WalkRules;
  /** Names of entries to visit, the next one last. */
  directories: string[];
  others: string[];
}

/** Walks all regular files that may be indexed, without following symlinks. */
export class TreeWalk {
  readonly #unreadable = new Set<string>();
  readonly #deps: WalkDeps;
  /** Roots not visited yet. */
  readonly #otherRoots: Set<string>;
  readonly #protectedIds: Set<string>;
  /** Paths to start from. */
  #pending: string[] = [];
  #frames: Frame[] = [];

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    this.#otherRoots = new Set(deps.roots);
    this.#protectedIds = new Set(deps.protectedDirectories.flatMap(identityOf));
  }

  /** The paths that an unfinished walk has not visited yet. */
  get remaining(): string[] {
    const inDirectories = this.#frames.flatMap(({ path, directories, others }) =>
      [...others, ...directories].map((name) => join(path, name)),
    );
    return [...inDirectories, ...this.#pending];
  }

  /** The given paths that are missing or not to be indexed, if the walk did not see them. */
  missing<Path extends string>(paths: Iterable<Path>): Path[] {
    const unknown = new Set([...this.#unreadable, ...this.remaining]);
    if (unknown.size === 0) return [...paths];
    return [...paths].filter((path) => !directoriesBetween('/', path).some((parent) => unknown.has(parent)));
  }

  /**
   * Walks a path at or below a root, files before subdirectories, sorted by name. Roots inside it are walked even where
   * its rules exclude them.
   */
  *from(start: string): Generator<WalkStep> {
    const inner = this.#deps.roots.filter((root) => root !== start && isInside(start, root));
    this.#pending = [...inner.sort().reverse(), start];
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop())
      if (next === start || this.#otherRoots.has(next)) yield* this.#walkFrom(next);
  }

  *#walkFrom(start: string): Generator<WalkStep> {
    const { roots, protectedDirectories, skipped } = this.#deps;
    const around = roots.filter((root) => isInside(root, start)).sort((a, b) => a.length - b.length);
    const [outermost, root] = [around[0], around.at(-1)];
    if (outermost === undefined || root === undefined) return;
    if (isSecretPath(root)) return skipped.add('secret');
    if (protectedDirectories.some((directory) => isInside(directory, root))) return skipped.add('protected');
    this.#frames = [];
    let cursor: DirectoryCursor;
    try {
      cursor = new DirectoryCursor(root);
    } catch (error) {
      // A missing root may be an unmounted disk, so its files are kept; a file missing from an existing root is gone.
      if (identityOf(outermost).length === 0) this.#unreadable.add(outermost);
      return this.#recordUnreadable(root, error);
    }
    using opened = cursor;
    let above: WalkRules;
    try {
      above = WalkRules.above(root, outermost);
    } catch (error) {
      return this.#recordUnreadable(root, error);
    }
    const rules = this.#rulesWithin(opened, above);
    if (rules) yield* this.#descend(opened, rules, start);
  }

  *#descend(cursor: DirectoryCursor, above: WalkRules, start: string): Generator<WalkStep> {
    let rules = above;
    for (const name of start.slice(cursor.path.length).split('/').filter(Boolean)) {
      const path = join(cursor.path, name);
      const stats = this.#stat(cursor, rules, name);
      if (!stats) return;
      if (!stats.isDirectory()) {
        if (path === start && this.#accepts(stats)) yield { path, stats };
        return;
      }
      const within = this.#enter(cursor, rules, name);
      if (!within) return;
      rules = within;
    }
    yield* this.#walk(cursor, rules);
  }

  *#walk(cursor: DirectoryCursor, rules: WalkRules): Generator<WalkStep> {
    yield* this.#list(cursor, rules);
    let steps = 0;
    for (let frame = this.#frames.at(-1); frame; frame = this.#frames.at(-1)) {
      if (++steps % STEP === 0) yield 'judging';
      const name = frame.others.pop();
      if (name !== undefined) {
        const stats = this.#stat(cursor, frame.rules, name);
        if (stats && this.#accepts(stats)) yield { path: join(frame.path, name), stats };
        continue;
      }
      const below = frame.directories.pop();
      if (below === undefined) {
        this.#frames.pop();
        if (this.#frames.length > 0) cursor.leave();
        continue;
      }
      if (!this.#allows(frame.rules, join(frame.path, below), below, true)) continue;
      const within = this.#enter(cursor, frame.rules, below);
      if (within) yield* this.#list(cursor, within);
    }
  }

  /** Reads the entries of the directory just entered. */
  *#list(cursor: DirectoryCursor, rules: WalkRules): Generator<WalkStep> {
    const frame: Frame = { path: cursor.path, rules, directories: [], others: [] };
    this.#frames.push(frame);
    try {
      const entries = opendirSync(cursor.descriptorPath, {
        encoding: 'buffer' as BufferEncoding,
        bufferSize: STEP,
      });
      try {
        let count = 0;
        for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
          if (++count % STEP === 0) yield 'listing';
          const name = entry.name as unknown as Buffer;
          if (!isUtf8(name)) this.#deps.skipped.add('name is not UTF-8');
          else (entry.isDirectory() ? frame.directories : frame.others).push(name.toString('utf8'));
        }
      } finally {
        entries.closeSync();
      }
    } catch (error) {
      frame.directories = [];
      frame.others = [];
      this.#recordUnreadable(frame.path, error);
    }
    frame.directories.sort().reverse();
    frame.others.sort().reverse();
  }

  /** `lstat` of an entry, unless it is excluded. */
  #stat(cursor: DirectoryCursor, rules: WalkRules, name: string): BigIntStats | undefined {
    const path = join(cursor.path, name);
    try {
      const stats = cursor.stat(name);
      return this.#allows(rules, path, name, stats.isDirectory()) ? stats : undefined;
    } catch (error) {
      return this.#recordUnreadable(path, error);
    }
  }

  #allows(rules: WalkRules, path: string, name: string, isDirectory: boolean): boolean {
    const reason = rules.exclusionReason(path, name, isDirectory);
    if (reason && reason !== 'ignored') this.#deps.skipped.add(reason);
    return reason === undefined;
  }

  #accepts(stats: BigIntStats): boolean {
    const reason = skipReason(stats, this.#deps.maxFileBytes);
    if (reason) this.#deps.skipped.add(reason);
    return reason === undefined;
  }

  #enter(cursor: DirectoryCursor, rules: WalkRules, name: string): WalkRules | undefined {
    try {
      cursor.enter(name);
    } catch (error) {
      return this.#recordUnreadable(join(cursor.path, name), error);
    }
    const within = this.#rulesWithin(cursor, rules);
    if (!within) cursor.leave();
    return within;
  }

  /** The rules of the directory just entered; undefined when it is not indexed. */
  #rulesWithin(cursor: DirectoryCursor, rules: WalkRules): WalkRules | undefined {
    const { path } = cursor;
    this.#otherRoots.delete(path);
    if (this.#protectedIds.has(cursor.id)) return this.#skip('protected');
    if (cursor.isLoop) return this.#skip('link');
    try {
      return rules.within(cursor) ?? this.#skip('too many ignore rules');
    } catch (error) {
      return this.#recordUnreadable(path, error);
    }
  }

  #skip(reason: SkipReason): undefined {
    this.#deps.skipped.add(reason);
  }

  /** Records an unreadable path; a missing one is just missing. */
  #recordUnreadable(path: string, error: unknown): undefined {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (GONE.includes(code)) return;
    this.#deps.skipped.add('unreadable');
    this.#unreadable.add(path);
  }
}

function skipReason(stats: BigIntStats, maxFileBytes: number): SkipReason | undefined {
  if (stats.isSymbolicLink()) return 'link';
  if (!stats.isFile()) return 'not a regular file';
  return stats.size > BigInt(maxFileBytes) ? 'too large' : undefined;
}

function identityOf(directory: string): string[] {
  const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
  return stats ? [idOf(stats)] : [];
}
