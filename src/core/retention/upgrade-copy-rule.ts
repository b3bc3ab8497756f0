import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isUpgradeCopy } from '../storage/sqlite/upgrade-copy.ts';
import type { RetentionRule } from './retention-rule.ts';

/** Removes the copies of the database from before upgrades. */
export const upgradeCopyRule = (databaseFile: string): RetentionRule => {
  const old = async (before: string): Promise<string[]> => {
    const directory = dirname(databaseFile);
    const names = await readdir(directory);
    const paths = names
      .filter((name) => isUpgradeCopy(name, databaseFile))
      .map((name) => join(directory, name));
    const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtime.toISOString()));
    return paths.filter((_, index) => (times[index] ?? '9') < before);
  };
  return {
    name: 'copies before upgrades',
    setting: 'retention.upgradeCopiesDays',
    isLocal: true,
    count: async (before) => (await old(before)).length,
    async remove(before) {
      const paths = await old(before);
      for (const path of paths) await rm(path, { force: true });
      return { taken: paths.length, hasMore: false };
    },
  };
};
