import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

const section = /^\s{0,20}\[\s{0,4}([\w.-]{1,60})(?:\s[^\]]{0,200})?\]/;
const setting =
  /^\s{0,20}(hookspath|path)\s{0,20}=\s{0,20}(?:"([^"\n]{1,1000})"|([^"#;\n]{1,1000}?))\s{0,20}(?:[#;].*)?$/i;

/** As deep as git follows files that include others. */
const MAX_DEPTH = 10;
const MAX_FILES = 100;

/** Where the person who uses git keeps the settings for all repositories. */
export interface GitHome {
  home?: string | undefined;
  /** `$XDG_CONFIG_HOME`. */
  configHome?: string | undefined;
}

interface Reading {
  home: string | undefined;
  /** What relative directories of hooks begin at; without it they are left out. */
  worktree: string | undefined;
  read: Set<string>;
  found: string[];
}

/**
 * The paths from which git runs hooks or includes settings, because the settings of a repository or of the person name
 * them, as absolute paths. `repository` is its `.git` directory; without it only the person's settings are read.
 */
export async function gitConfiguredPaths(
  repository: string | undefined,
  person: GitHome = {},
): Promise<string[]> {
  const worktree = repository === undefined ? undefined : dirname(repository);
  const reading: Reading = { home: person.home, worktree, read: new Set(), found: [] };
  const files = personalFiles(person);
  if (repository !== undefined) files.push(join(repository, 'config'));
  for (const file of files) await readSettings(file, reading, 0);
  // Husky keeps what it generates in _, and what people write next to it.
  return reading.found.map((path) => (path.endsWith('/_') ? dirname(path) : path));
}

/** A shell of the person may set `$XDG_CONFIG_HOME` where the daemon does not, so that both places count. */
function personalFiles({ home, configHome }: GitHome): string[] {
  const files: string[] = [];
  if (configHome !== undefined && isAbsolute(configHome)) files.push(join(configHome, 'git/config'));
  if (home !== undefined) files.push(join(home, '.config/git/config'), join(home, '.gitconfig'));
  return files;
}

/** Adds what a file of settings names, and what those name that it includes. A missing file names nothing. */
async function readSettings(file: string, reading: Reading, depth: number): Promise<void> {
  if (depth > MAX_DEPTH || reading.read.size >= MAX_FILES || reading.read.has(file)) return;
  reading.read.add(file);
  const text = await readFile(file, 'utf8').catch(() => '');
  let current = '';
  for (const line of text.split('\n')) {
    current = section.exec(line)?.[1]?.toLowerCase() ?? current;
    const [, key = '', quoted, plain = ''] =
      setting.exec(line.replace(/^\s{0,20}\[[^\]]{0,300}\]/, '')) ?? [];
    const value = quoted ?? plain;
    if (current === 'core' && key.toLowerCase() === 'hookspath') {
      const path = absolute(value, reading.worktree, reading.home);
      if (path !== undefined) reading.found.push(path);
    }
    if (current.startsWith('include') && key.toLowerCase() === 'path') {
      const path = absolute(value, dirname(file), reading.home);
      if (path === undefined) continue;
      reading.found.push(path);
      await readSettings(path, reading, depth + 1);
    }
  }
}

function absolute(value: string, base: string | undefined, home: string | undefined): string | undefined {
  if (value.startsWith('~/') && home !== undefined) return join(home, value.slice(2));
  if (isAbsolute(value)) return join(value);
  return base === undefined ? undefined : join(base, value);
}
