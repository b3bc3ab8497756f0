import { lstat, readdir, readFile, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { executed } from '../../processes/git-protection.ts';
import { isPlainConfig } from './plain-repository.ts';

/** Identifies repositories also after they were moved. */
export async function identitiesOf(repositories: readonly string[]): Promise<Set<string>> {
  const found = await Promise.all(repositories.map(identityOf));
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
  for (const repository of repositories) {
    const identity = await identityOf(repository);
    if (identity === undefined || known.has(identity)) continue;
    for (const name of executed) {
      const path = join(repository, name);
      if (await isHarmless(path, name)) continue;
      const blocked = `${path}.blocked-${Date.now().toString(36)}`;
      await rename(path, blocked);
      notes.push(`${relative(workspace, path)} was renamed, because git would run programs that it names`);
    }
  }
  return notes;
}

async function identityOf(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
}

async function isHarmless(path: string, name: (typeof executed)[number]): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return true;
  if (name === 'hooks') {
    if (!found.isDirectory()) return false;
    const hooks = await readdir(path);
    return hooks.every((hook) => hook.endsWith('.sample'));
  }
  if (name === 'commondir' || !found.isFile()) return false;
  return isPlainConfig(await readFile(path, 'utf8'));
}
