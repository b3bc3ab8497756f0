import { readdir, rm, stat } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';

const KEEP_MS = 60 * 24 * 60 * 60 * 1000;

/** Removes compiled code of earlier versions from the user's cache; what is removed too early is compiled again. */
export async function pruneCompiledCode(now: Date, directory = ownDirectory()): Promise<void> {
  if (directory === undefined) return;
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (now.getTime() - (await stat(path)).mtimeMs > KEEP_MS) await rm(path, { force: true });
  }
}

/** Where Node.js keeps the compiled code of svc; undefined where the user has chosen a directory for all programs. */
function ownDirectory(): string | undefined {
  const directory = getCompileCacheDir();
  if (directory === undefined) return undefined;
  const parent = dirname(directory);
  return basename(parent) === 'svc' ? parent : undefined;
}
