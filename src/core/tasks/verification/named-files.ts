import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { isInside } from '../../paths/real-path.ts';

const MAX_FILES = 50;
const MAX_BYTES = 10 * 1024 * 1024;

/** The files that say what some programs do. */
const implied: Record<string, string> = {
  npm: 'package.json',
  pnpm: 'package.json',
  yarn: 'package.json',
  bun: 'package.json',
  make: 'Makefile',
  just: 'justfile',
};

/** The hash of each file of the workspace that the commands name, by its path in the workspace. */
export async function hashNamedFiles(
  workspace: string,
  commands: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const words = commands.flatMap((command) => command.split(/[\s'"`;&|()<>=]+/)).filter(Boolean);
  const names = new Set(
    words.flatMap((word) => [word, ...(Object.hasOwn(implied, word) ? [implied[word] ?? ''] : [])]),
  );
  const found = new Map<string, string>();
  for (const name of names) {
    if (found.size >= MAX_FILES) break;
    const path = resolve(workspace, name);
    if (!isInside(workspace, path)) continue;
    const entry = await stat(path).catch(() => undefined);
    if (entry?.isFile() && entry.size <= MAX_BYTES)
      found.set(relative(workspace, path), await hashFile(path));
  }
  return found;
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
    return digest.digest('hex');
  } catch {
    // Removed or unreadable: either differs from every hash.
    return '';
  }
}

/** The files that are not what they were, those that are gone among them. */
export const changedFiles = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] => [...before].filter(([path, digest]) => after.get(path) !== digest).map(([path]) => path);
