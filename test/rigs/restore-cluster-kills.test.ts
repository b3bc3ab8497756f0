import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCluster } from '../../src/core/backup/copy-cluster.ts';
import { restoreCluster } from '../../src/core/backup/restore-cluster.ts';
import { everyNth } from '../helpers/long.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { hasPostgres, newPostgresDatabase } from '../helpers/postgres-server.ts';
import { databaseEntry, makeHome, writeBackup } from '../core/backup/backup-samples.ts';
import { rowsOf } from '../core/moving/moving-samples.ts';

const root = memoryFolder();
const file = join(root, 'backup.tar.gz');
const program = join(import.meta.dirname, 'restore/killed-restore.ts');
let number = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A home with the seed of the backup and an empty database of PostgreSQL, for one kill after the other. */
async function nextPlace() {
  const home = join(root, String(number++));
  const locations = await makeHome(home, 'old');
  return { home, locations, database: await newPostgresDatabase() };
}

const run = (home: string, url: string, killAt = 0) =>
  spawnSync(process.execPath, [program, home, file, String(killAt), url], { encoding: 'utf8' });

async function rowsIn(url: string) {
  const directory = join(root, String(number++));
  mkdirSync(directory);
  await copyCluster({ url, prepared: true }, directory);
  return rowsOf(join(directory, 'svc.db'));
}

describe.skipIf(!hasPostgres)('a restore into PostgreSQL that is killed (needs PostgreSQL)', () => {
  let points = 0;
  beforeAll(async () => {
    writeBackup(file, [
      await databaseEntry(root, 'new'),
      { name: 'archive/audit-1-2.jsonl.gz', content: Buffer.from('new') },
    ]);
    const { home, database } = await nextPlace();
    points = Number(run(home, database.url).stdout);
    await database.drop();
  });

  it('leaves the database empty or complete, and can be repeated', async () => {
    expect(points).toBeGreaterThan(20);
    const outcomes: string[] = [];
    const all = Array.from({ length: points }, (_, index) => index + 1);
    // The last change of the disk comes after the commit.
    for (const at of new Set([...everyNth(6, all, 2), points])) {
      const { home, locations, database } = await nextPlace();
      const { url } = database;
      expect(run(home, url, at).signal).toBe('SIGKILL');
      const found = (await rowsIn(url))['state'] ?? [];
      outcomes.push(found.length === 0 ? 'empty' : 'complete');
      const options = { file, locations, version: '0.1.0', now: new Date(), server: { url, prepared: true } };
      expect(await restoreCluster(options)).toMatchObject({ wasComplete: found.length > 0 });
      expect((await rowsIn(url))['state']).toContainEqual(['mark', 'new']);
      expect(existsSync(join(locations.data, 'archive', 'audit-1-2.jsonl.gz'))).toBe(true);
      expect(readdirSync(locations.data).filter((name) => name.startsWith('.restore-'))).toEqual([]);
      await database.drop();
    }
    // First nothing has changed, then everything.
    expect(outcomes.join(' ')).toMatch(/^(empty )+(complete ?)+$/);
  }, 600_000);
});
