import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { Setting } from '../../src/contract/config.ts';
import type { Log } from '../../src/core/log.ts';
import { silentLog } from '../../src/core/log.ts';
import { checkBackup } from '../../src/core/backup/check-backup.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';

const HOUR = 3_600_000;
let offset = 0;
let logged: [level: string, message: string, fields: object][] = [];
const log: Log = {
  ...silentLog,
  info: (fields, message) => logged.push(['info', message, fields]),
  error: (fields, message) => logged.push(['error', message, fields]),
};
const runtime = {
  ...systemRuntime,
  now: () => new Date(Date.now() + offset),
  monotonic: () => performance.now() + offset,
};
const daemon = await startDaemon({ runtime, log });
const directory = memoryFolder();
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  logged = [];
});

const set = (key: string, value: Setting['value'], of: TestDaemon = daemon) =>
  of.client.config.update({ params: { key }, body: { value } });
/** An empty directory. */
const empty = () => mkdtempSync(join(directory, 'unpacked-'));
const backups = () => readdirSync(directory).filter((name) => name.startsWith('svc-backup-'));
const health = async () => (await daemon.client.health.getDetailed()).components.backups;
/** Lets time pass, and the daemon look. */
const after = async (ms: number) => {
  offset += ms;
  await daemon.app.backupSchedule.runIfDue();
};

it('makes none unless one is asked for', async () => {
  await after(1000 * HOUR);
  expect(existsSync(join(daemon.home, 'backups'))).toBe(false);
  expect(await health()).toMatchObject({
    status: 'healthy',
    message: 'No backups are scheduled',
    details: {},
  });
});

it.each(['soon', '10s', '0', '400d', ''])('refuses to make one every %j', async (every) => {
  await expect(set('backup.every', every)).rejects.toThrow(/Expected a duration from 1m to 366d/);
  await expect(set('backup.directory', 'relative/path')).rejects.toThrow(/Expected an absolute path/);
});

it('makes one at each interval, also after a restart, and keeps the newest of its own', async () => {
  const foreign = join(directory, 'svc-backup-2020-01-01T00-00-00Z.tar.gz');
  writeFileSync(foreign, 'made by hand');
  await set('backup.directory', directory);
  await set('backup.keep', 2);
  await set('backup.every', '24h');
  await after(0);
  const [first = ''] = backups().slice(1);
  expect(statSync(join(directory, first)).mode & 0o777).toBe(0o600);
  expect(await checkBackup(join(directory, first), empty())).toMatchObject({
    hasIdentity: false,
  });
  await after(23 * HOUR);
  expect(backups()).toHaveLength(2);
  await after(2 * HOUR);
  await daemon.app.backupSchedule.load();
  await after(HOUR);
  expect(backups()).toHaveLength(3);
  await after(24 * HOUR);
  expect(backups()).toHaveLength(3);
  expect(backups()).toContain('svc-backup-2020-01-01T00-00-00Z.tar.gz');
  expect(backups()).not.toContain(first);
  expect(await health()).toMatchObject({
    status: 'healthy',
    details: { every: '24h', lastAt: expect.any(String) as string, lastBytes: expect.any(Number) as number },
  });
  expect(logged.map(([, message]) => message)).toEqual(['backup made', 'backup made', 'backup made']);
});

it('includes the identity only where the setting says so', async () => {
  await set('backup.identity', true);
  await after(25 * HOUR);
  const newest = join(directory, backups().at(-1) ?? '');
  expect(await checkBackup(newest, empty())).toMatchObject({ hasIdentity: true });
});

it('reports a failure in the log and in health, and tries again', async () => {
  const blocked = join(directory, 'blocked');
  writeFileSync(blocked, 'a file where a directory should be');
  await set('backup.directory', blocked);
  await after(25 * HOUR);
  expect(logged).toEqual([['error', 'the scheduled backup failed; it is tried again', expect.anything()]]);
  expect(await health()).toMatchObject({
    status: 'degraded',
    message: expect.stringMatching(/^The last backup failed: .*blocked/) as string,
  });
  await after(60_000);
  expect(logged).toHaveLength(1);
  rmSync(blocked);
  await after(10 * 60_000);
  expect(readdirSync(blocked)).toHaveLength(1);
  expect((await health()).status).toBe('healthy');
});

it('creates no directory above the one that is set, such as where a disk is not mounted', async () => {
  await set('backup.directory', join(directory, 'mount', 'svc'));
  await after(25 * HOUR);
  expect(existsSync(join(directory, 'mount'))).toBe(false);
  expect((await health()).status).toBe('degraded');
  await set('backup.directory', '/proc/nowhere');
  await after(HOUR);
  expect((await health()).message).toContain('/proc/nowhere');
});

it('removes what a daemon that was killed has left, and nothing that may be in use', async () => {
  await set('backup.directory', directory);
  const [left, used] = ['.svc-backup-left', '.svc-backup-used'].map((name) => join(directory, name));
  for (const path of [left, used]) mkdirSync(path ?? '');
  const soon = new Date(Date.now() + offset + 24 * HOUR);
  utimesSync(left ?? '', 0, 0);
  utimesSync(used ?? '', soon, soon);
  await after(25 * HOUR);
  expect(readdirSync(directory).filter((name) => name.startsWith('.'))).toEqual(['.svc-backup-used']);
});

it('is overdue once two intervals passed without one', async () => {
  offset += 49 * HOUR;
  expect(await health()).toMatchObject({
    status: 'degraded',
    message: expect.stringContaining('overdue') as string,
  });
});
