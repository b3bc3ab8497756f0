import { lstat, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { executed } from '../../processes/git-protection.ts';
import { pathIdentities } from './path-identities.ts';
import { isPlainConfig } from './plain-repository.ts';

/** Identifies repositories also after they were moved. */
export async function identitiesOf(repositories: readonly string[]): Promise<Set<string>> {
  const found = [...(await pathIdentities(repositories)).values()];
  return new Set(found.filter((identity) => identity !== undefined));
}

/**
 * Disarms repositories that a command created and in which git would run programs: renames their hooks and settings. Returns
 * a note for each. A mount protects only what exists when the command starts.
 */
export async function disarmPlanted(
  workspace: string,
  repositories: readonly string[],
  known: ReadonlySet<string>,
): Promise<string[]> {
  const notes: string[] = [];
  for (const [repository, identity] of await pathIdentities(repositories)) {
    if (identity === undefined || known.has(identity)) continue;
    for (const name of executed) {
      const path = join(repository, name);
      if (await isHarmless(path, name, known)) continue;
      const blocked = `${path}.blocked-${Date.now().toString(36)}`;
      await rename(path, blocked);
      notes.push(`${relative(workspace, path)} was renamed, because git would run programs that it names`);
    }
  }
  return notes;
}

async function isHarmless(
  path: string,
  name: (typeof executed)[number],
  known: ReadonlySet<string>,
): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return true;
  if (name === 'hooks') {
    if (!found.isDirectory()) return false;
    const hooks = await readdir(path);
    return hooks.every((hook) => hook.endsWith('.sample'));
  }
  if (!found.isFile()) return false;
  if (name === 'commondir') return leadsOut(path, known);
  return isPlainConfig(await readFile(path, 'utf8'));
}

/**
 * Whether a directory is the part of a repository that belongs to a worktree: then git takes hooks and settings from the
 * repository around it, which commands cannot change. People add worktrees while a program runs.
 */
async function leadsOut(commondir: string, known: ReadonlySet<string>): Promise<boolean> {
  const named = resolve(dirname(commondir), (await readFile(commondir, 'utf8')).replace(/\n$/, ''));
  if (!commondir.startsWith(`${named}/worktrees/`)) return false;
  return [...(await identitiesOf([named]))].some((identity) => known.has(identity));
}
