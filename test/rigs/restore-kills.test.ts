import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Locations } from '../../src/contract/locations.ts';
import { finishRestore, journalFileOf } from '../../src/core/backup/restore-journal.ts';
import { restoreHome } from '../../src/core/backup/restore-home.ts';
import { everyNth } from '../helpers/long.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import {
  databaseEntry,
  makeHome,
  marksOf,
  settingsText,
  writeBackup,
} from '../core/backup/backup-samples.ts';

const root = memoryFolder();
const file = join(root, 'backup.tar.gz');
let number = 0;
/** The homes of one kill after the other. */
const nextHome = async () => {
  const home = join(root, String(number++));
  return { home, locations: await makeHome(home, 'old') };
};
const run = (home: string, killAt = 0) =>
  spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'restore/killed-restore.ts'), home, file, String(killAt)],
    {
      encoding: 'utf8',
    },
  );
let changes = 0;

beforeAll(async () => {
  writeBackup(file, [
    await databaseEntry(root, 'new'),
    { name: 'settings.json', content: Buffer.from(settingsText('new')) },
    { name: 'archive/audit-1-2.jsonl.gz', content: Buffer.from('new') },
  ]);
  changes = Number(run((await nextHome()).home).stdout);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** `old` or `new` where all of the home is; throws where it is a mixture. */
function whose(locations: Locations): string {
  const marks = Object.values(marksOf(locations));
  if (new Set(marks).size === 1) return String(marks[0]);
  throw new Error(`The home is a mixture: ${JSON.stringify(marksOf(locations))}`);
}

it('leaves the old or the new home whole, wherever a restore is killed', async () => {
  expect(changes).toBeGreaterThan(30);
  const outcomes: string[] = [];
  const points = Array.from({ length: changes }, (_, index) => index + 1);
  for (const at of everyNth(8, points, 3)) {
    const { home, locations } = await nextHome();
    expect(run(home, at).signal).toBe('SIGKILL');
    const isCommitted = existsSync(journalFileOf(locations));
    // As the daemon does before it reads anything of the home.
    expect(await finishRestore(locations)).toBe(isCommitted);
    const found = whose(locations);
    outcomes.push(found);
    if (isCommitted) expect(found).toBe('new');
    const kept = readdirSync(locations.data).some((name) => name.startsWith('before-restore-'));
    expect(kept).toBe(found === 'new');
    // What is left is harmless, and the next restore removes it.
    await restoreHome({ file, locations, version: '0.1.0', now: new Date() });
    expect(whose(locations)).toBe('new');
    expect(readdirSync(locations.data).filter((name) => name.startsWith('.restore-'))).toEqual([]);
  }
  // First nothing has changed, then everything.
  expect(outcomes.join(' ')).toMatch(/^(old )+(new ?)+$/);
}, 600_000);
