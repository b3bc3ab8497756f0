import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../paths/make-directory.ts';
import { syncDirectory } from '../storage/private-file.ts';
import { keptPath } from './restore-staging.ts';

/**
 * Gives the archives of a backup their place, durably; returns their paths. One that is there and differs is kept in a dated
 * directory. It can be repeated.
 */
export function placeArchives(from: string, to: string, stamp: string): string[] {
  if (!existsSync(from)) return [];
  makeDirectory(to);
  const placed = readdirSync(from).map((name) => {
    const [source, target] = [join(from, name), join(to, name)];
    if (existsSync(target)) {
      if (readFileSync(target).equals(readFileSync(source))) return target;
      const kept = join(keptPath(to, stamp), name);
      mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
      renameSync(target, kept);
    }
    renameSync(source, target);
    return target;
  });
  syncDirectory(to);
  return placed;
}
