import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** More files and directories are not listed: typing a path must stay quick in any directory. */
const MOST_PATHS = 10_000;
const MOST_DIRECTORIES = 2_000;
const never = new Set(['.git', 'node_modules', '.hg', '.svn']);

interface Rules {
  /** Where they are, from the root: '' or a path with a slash at its end. */
  base: string;
  ignored: Ignore;
}

/** The files and directories below a directory, near ones first; what `.gitignore` excludes is left out. */
export async function listFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const waiting: { path: string; rules: readonly Rules[] }[] = [{ path: '', rules: [] }];
  for (let read = 0; read < MOST_DIRECTORIES && found.length < MOST_PATHS; read++) {
    const next = waiting.shift();
    if (!next) break;
    const entries = await entriesOf(join(root, next.path));
    const rules = await withRules(next.rules, root, next.path, entries);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const isDirectory = entry.isDirectory();
      const path = `${next.path}${entry.name}${isDirectory ? '/' : ''}`;
      if (never.has(entry.name) || isIgnored(path, rules)) continue;
      if (isDirectory) waiting.push({ path, rules });
      else if (!entry.isFile() && !entry.isSymbolicLink()) continue;
      found.push(path);
    }
  }
  return found.slice(0, MOST_PATHS);
}

/** A directory that cannot be read has nothing to offer. */
const entriesOf = (path: string): Promise<Dirent[]> => readdir(path, { withFileTypes: true }).catch(() => []);

async function withRules(
  rules: readonly Rules[],
  root: string,
  base: string,
  entries: readonly Dirent[],
): Promise<readonly Rules[]> {
  if (!entries.some(({ name }) => name === '.gitignore')) return rules;
  const text = await readFile(join(root, base, '.gitignore'), 'utf8').catch(() => '');
  return [...rules, { base, ignored: ignore().add(text) }];
}

/** The rules of the nearest directory decide. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { base, ignored } of rules.toReversed()) {
    const result = ignored.test(path.slice(base.length));
    if (result.ignored) return true;
    if (result.unignored) return false;
  }
  return false;
}
