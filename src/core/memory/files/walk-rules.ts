import { closeSync, fstatSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../paths/file-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import { isSecretPath } from '../../paths/secret-paths.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { join, OpenFolders } from './open-folders.ts';
import { readBytes } from './read-text.ts';
import type { SkipReason } from './skipped-files.ts';

/** Folders that hardly anybody means, whatever `.gitignore` says. */
export const SKIPPED_FOLDERS = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv']);
const MAX_RULE_BYTES = 2 ** 20;
/** Longer ones no program can open. */
const MAX_PATH_BYTES = 4095;

/** Why an entry is left out; `ignored` is not counted. */
export type LeftOut = SkipReason | 'ignored';

/** What of a folder may be indexed, by the rules of all folders above it. */
export class WalkRules {
  readonly #ignore: IgnoreRules;
  /** The folder as `isSecretPath` needs it to judge what is in it, which is shorter than the folder's path. */
  readonly #tail: string;
  private constructor(folder: string, rules: IgnoreRules) {
    this.#ignore = rules;
    this.#tail = tailOf(folder);
  }

  /** Those that hold in a folder that somebody chose, by the rules of its repository or of the `outermost` such folder. */
  static above(root: string, outermost: string): WalkRules {
    const top = repositoryOf(root) ?? outermost;
    let rules: IgnoreRules | undefined = IgnoreRules.below(top);
    for (const folder of foldersBetween(top, root)) {
      if (folder === root) break;
      rules = withRulesAt(rules, folder);
      if (!rules) return new WalkRules(root, IgnoreRules.below(root));
    }
    // Who chooses a folder means it, although its repository ignores it.
    const isIgnored = root !== top && rules.ignores(root, true);
    return new WalkRules(root, isIgnored ? IgnoreRules.below(root) : rules);
  }

  /** Why an entry of this folder is left out. */
  leavesOut(path: string, name: string, isFolder: boolean): LeftOut | undefined {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) return 'path too long';
    if (isFolder && SKIPPED_FOLDERS.has(name)) return 'ignored';
    if (this.#ignore.ignores(path, isFolder)) return 'ignored';
    return isSecretPath(join(this.#tail, name)) ? 'secret' : undefined;
  }

  /** The rules in the folder that was just opened; undefined where there are too many. */
  within(folders: OpenFolders): WalkRules | undefined {
    const inherited = isRepository(folders) ? IgnoreRules.below(folders.path) : this.#ignore;
    const rules = withRulesOf(inherited, folders);
    return rules && new WalkRules(folders.path, rules);
  }
}

/** The longest secret path has three names; what is higher up does not matter once it was judged. */
function tailOf(folder: string): string {
  const segments = folder.split('/');
  return segments.length <= 5 ? folder : ['', '-', ...segments.slice(-3)].join('/');
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (hasRepository(at)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** From the first, at or above the second, down to the second. */
export function foldersBetween(first: string, second: string): string[] {
  const folders: string[] = [];
  for (let at = second; isInside(first, at); at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) break;
  }
  return folders.reverse();
}

/** What may not be looked at is as if it were not there. */
const NOT_THERE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENXIO'];

function hasRepository(folder: string): boolean {
  return orUnlessThere(() => lstatSync(join(folder, '.git')) !== undefined) ?? false;
}

function orUnlessThere<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (NOT_THERE.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** A folder that is above what is indexed, so that it may be closed to us. */
function withRulesAt(rules: IgnoreRules, folder: string): IgnoreRules | undefined {
  const opened = orUnlessThere(() => new OpenFolders(folder));
  if (!opened) return rules;
  using folders = opened;
  return withRulesOf(rules, folders);
}

/** undefined where there are too many. */
function withRulesOf(rules: IgnoreRules, folders: OpenFolders): IgnoreRules | undefined {
  const texts = [isRepository(folders) ? excludesOf(folders) : undefined, ruleTextOf(folders, '.gitignore')];
  let all: IgnoreRules | undefined = rules;
  for (const text of texts)
    if (text !== undefined) all = text === false ? undefined : all?.with(folders.path, text);
  return all;
}

const isRepository = (folders: OpenFolders): boolean =>
  orUnlessThere(() => folders.stat('.git') !== undefined) ?? false;

/** What somebody ignores in a repository without telling others. */
function excludesOf(folders: OpenFolders): string | false | undefined {
  const { path } = folders;
  const text = orUnlessThere(() => {
    folders.goTo(join(join(path, '.git'), 'info'));
    return ruleTextOf(folders, 'exclude');
  });
  folders.goTo(path);
  return text;
}

/** As git, which follows no link here either; false for more text than anybody writes. */
function ruleTextOf(folders: OpenFolders, name: string): string | false | undefined {
  return orUnlessThere(() => {
    const descriptor = folders.openFile(name);
    try {
      if (!fstatSync(descriptor).isFile()) return undefined;
      const bytes = readBytes(descriptor, 0, MAX_RULE_BYTES);
      return typeof bytes === 'string' ? false : bytes.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  });
}
