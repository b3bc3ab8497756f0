import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon } from '../../helpers/daemon.ts';

const DAY_MS = 86_400_000;

async function startWithCopies(files: Record<string, number>) {
  const now = new Date('2030-06-01T00:00:00.000Z');
  const daemon = await startDaemon({ runtime: { ...systemRuntime, now: () => now } });
  for (const [name, days] of Object.entries(files)) {
    const path = join(daemon.home, name);
    const time = new Date(now.getTime() - days * DAY_MS);
    writeFileSync(path, 'a copy');
    utimesSync(path, time, time);
  }
  const copies = () => readdirSync(daemon.home).filter((name) => name.includes('before-'));
  return { daemon, copies };
}

it('removes copies from before upgrades after 30 days, parts of them too, and nothing else', async () => {
  const { daemon, copies } = await startWithCopies({
    'svc.db.before-0010-queue-lanes': 31,
    'svc.db.before-0009-approval-coverage.partial': 31,
    'svc.db.before-0011-retention': 29,
    'notes-before-the-upgrade': 400,
  });
  await using _ = daemon;
  expect(await daemon.app.retention.countOld()).toContainEqual({ name: 'copies before upgrades', count: 2 });
  const { removed } = await daemon.app.retention.removeOld();
  expect(removed).toContainEqual({ name: 'copies before upgrades', count: 2 });
  expect(copies().sort()).toEqual(['notes-before-the-upgrade', 'svc.db.before-0011-retention']);
});

it('keeps copies from before upgrades forever if the setting is 0', async () => {
  const { daemon, copies } = await startWithCopies({ 'svc.db.before-0010-queue-lanes': 4000 });
  await using _ = daemon;
  await daemon.client.config.update({ params: { key: 'retention.upgradeCopiesDays' }, body: { value: 0 } });
  await daemon.app.retention.removeOld();
  expect(copies()).toEqual(['svc.db.before-0010-queue-lanes']);
});
