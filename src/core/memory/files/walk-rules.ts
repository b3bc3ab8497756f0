import { closeSync, fstatSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../paths/file-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import { isSecretPath } from '../../paths/secret-paths.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { join, DirectoryCursor } from './directory-cursor.ts';
import { readBytes } from './read-text.ts';
import type { SkipReason } from './skipped-files.ts';

/** Directories that are skipped regardless of `.gitignore`. */
export const SKIPPED_DIRECTORIES = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv']);
const MAX_RULE_BYTES = 2 ** 20;
/** The kernel's limit. */
const MAX_PATH_BYTES = 4095;

/** Why an entry is skipped; `ignored` is not counted. */
export type ExclusionReason = SkipReason | 'ignored';

/** Decides which entries of a directory may be indexed, by the rules of all its parents. */
export class WalkRules {
  readonly #ignore: IgnoreRules;
  /** The shortest form of the directory that `isSecretPath` needs to judge its entries. */
  readonly #tail: string;
  private constructor(directory: string, rules: IgnoreRules) {
    this.#ignore = rules;
    this.#tail = tailOf(directory);
  }

  /** The rules that apply inside a root, from its repository or from the `outermost` root. */
  static above(root: string, outermost: string): WalkRules {
    const top = repositoryOf(root) ?? outermost;
    let rules: IgnoreRules | undefined = IgnoreRules.below(top);
    for (const directory of directoriesBetween(top, root)) {
      if (directory === root) break;
      rules = withRulesAt(rules, directory);
      if (!rules) return new WalkRules(root, IgnoreRules.below(root));
    }
    // A root was chosen on purpose, so it is indexed even if its repository ignores it.
    const isIgnored = root !== top && rules.ignores(root, true);
    return new WalkRules(root, isIgnored ? IgnoreRules.below(root) : rules);
  }

  /** Why an entry of this directory is skipped; undefined when it is not. */
  exclusionReason(path: string, name: string, isDirectory: boolean): ExclusionReason | undefined {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) return 'path too long';
    if (isDirectory && SKIPPED_DIRECTORIES.has(name)) return 'ignored';
    if (this.#ignore.ignores(path, isDirectory)) return 'ignored';
    return isSecretPath(join(this.#tail, name)) ? 'secret' : undefined;
  }

  /** The rules of the directory just entered; undefined when there are too many. */
  within(cursor: DirectoryCursor): WalkRules | undefined {
    const inherited = isRepository(cursor) ? IgnoreRules.below(cursor.path) : this.#ignore;
    const rules = withRulesOf(inherited, cursor);
    return rules && new WalkRules(cursor.path, rules);
  }
}

/** The longest secret path has three segments; what is above them was judged before. */
function tailOf(directory: string): string {
  const segments = directory.split('/');
  return segments.length <= 5 ? directory : ['', '-', ...segments.slice(-3)].join('/');
}

function repositoryOf(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (hasRepository(at)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The directories from the first, at or above the second, down to the second. */
export function directoriesBetween(first: string, second: string): string[] {
  const directories: string[] = [];
  for (let at = second; isInside(first, at); at = dirname(at)) {
    directories.push(at);
    if (dirname(at) === at) break;
  }
  return directories.reverse();
}

/** Inaccessible entries count as missing. */
const INACCESSIBLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENXIO'];

function hasRepository(directory: string): boolean {
  return ifAccessible(() => lstatSync(join(directory, '.git')) !== undefined) ?? false;
}

function ifAccessible<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (INACCESSIBLE.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** A parent of the root, which may be inaccessible. */
function withRulesAt(rules: IgnoreRules, directory: string): IgnoreRules | undefined {
  const opened = ifAccessible(() => new DirectoryCursor(directory));
  if (!opened) return rules;
  using cursor = opened;
  return withRulesOf(rules, cursor);
}

/** undefined when there are too many. */
function withRulesOf(rules: IgnoreRules, cursor: DirectoryCursor): IgnoreRules | undefined {
  const texts = [
    isRepository(cursor) ? readExcludeFile(cursor) : undefined,
    readRuleFile(cursor, '.gitignore'),
  ];
  let all: IgnoreRules | undefined = rules;
  for (const text of texts)
    if (text !== undefined) all = text === false ? undefined : all?.with(cursor.path, text);
  return all;
}

const isRepository = (cursor: DirectoryCursor): boolean =>
  ifAccessible(() => cursor.stat('.git') !== undefined) ?? false;

/** The personal ignore rules of a repository clone. */
function readExcludeFile(cursor: DirectoryCursor): string | false | undefined {
  const { path } = cursor;
  const text = ifAccessible(() => {
    cursor.moveTo(join(join(path, '.git'), 'info'));
    return readRuleFile(cursor, 'exclude');
  });
  cursor.moveTo(path);
  return text;
}

/** Like git, follows no symlink here; false when the file is too large. */
function readRuleFile(cursor: DirectoryCursor, name: string): string | false | undefined {
  return ifAccessible(() => {
    const descriptor = cursor.openFile(name);
    try {
      if (!fstatSync(descriptor).isFile()) return undefined;
      const bytes = readBytes(descriptor, 0, MAX_RULE_BYTES);
      return typeof bytes === 'string' ? false : bytes.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  });
}
