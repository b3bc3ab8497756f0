import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Config } from '../../../src/core/config/config.ts';
import { EventBus } from '../../../src/core/events.ts';
import { type Log, silentLog } from '../../../src/core/log.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { SecretBox } from '../../../src/core/secrets/secret-box.ts';
import { composeSharedSettings } from '../../../src/core/settings/compose-shared-settings.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { openStorage, type TestStorage } from '../../helpers/storage.ts';

const box = new SecretBox(Buffer.alloc(32, 7));
type Sources = { document?: object; env?: Record<string, string>; log?: Log };

/** The settings of one daemon of a cluster. */
async function daemonOn(storage: TestStorage, { document = {}, env = {}, log = silentLog }: Sources = {}) {
  const settingsFile = join(temporaryFolder(), 'settings.json');
  writeFileSync(settingsFile, JSON.stringify(document));
  const config = new Config({ env: { SVC_MODE: 'pro', ...env }, settingsFile });
  config.useBox(box);
  const bus = new EventBus();
  const { database } = storage;
  await composeSharedSettings({ config, database, bus, runtime, log, locations: { settingsFile } });
  return { config, bus, settingsFile };
}
const rows = ({ database }: TestStorage) => database.read.selectFrom('settings').selectAll().execute();

it('a setting of the cluster is stored once, and another daemon has it after it has read again', async () => {
  await using storage = await openStorage();
  const [one, other] = [await daemonOn(storage), await daemonOn(storage)];
  const events: unknown[] = [];
  one.bus.on('settings_changed', (event) => events.push(event));
  const set = await one.config.set('queue.retry.attempts', 5, 'user_ann');
  expect(set).toMatchObject({ value: 5, origin: 'settings', scope: 'cluster' });
  expect(events).toEqual([{ keys: ['queue.retry.attempts'] }]);
  expect(await rows(storage)).toMatchObject([
    { key: 'queue.retry.attempts', value: '5', version: 1, updated_by: 'user_ann' },
  ]);
  expect(readFileSync(one.settingsFile, 'utf8')).toBe('{}');

  const changed: string[][] = [];
  other.config.onRefresh(async (keys) => void changed.push(keys));
  expect(other.config.get('queue.retry.attempts')).toBe(3);
  await other.config.refresh();
  await other.config.refresh();
  expect(other.config.get('queue.retry.attempts')).toBe(5);
  expect(changed).toEqual([['queue.retry.attempts']]);
});

it('a setting that another daemon has changed meanwhile is not overwritten', async () => {
  await using storage = await openStorage();
  const [one, other] = [await daemonOn(storage), await daemonOn(storage)];
  await one.config.set('models.prices', { 'openai/a': { input: 1, output: 1 } });
  await expect(
    other.config.set('models.prices', { 'openai/b': { input: 2, output: 2 } }),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('models.prices was changed'),
  });
  await other.config.refresh();
  await other.config.set('models.prices', { 'openai/b': { input: 2, output: 2 } });
  await one.config.refresh();
  expect(one.config.get('models.prices')).toEqual({ 'openai/b': { input: 2, output: 2 } });
});

it('of changes on one daemon that have read the same value one is stored', async () => {
  await using storage = await openStorage();
  const { config } = await daemonOn(storage);
  const sets = [1, 2, 3, 4].map((attempts) => config.set('queue.retry.attempts', attempts));
  const outcomes = await Promise.allSettled(sets);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await rows(storage)).toMatchObject([{ version: 1 }]);
});

it('changes of different settings at once are all in force', async () => {
  await using storage = await openStorage();
  const { config } = await daemonOn(storage);
  await Promise.all([
    config.set('queue.retry.attempts', 5),
    config.set('limits.costPerDay', 2.5),
    config.set('agents.default', 'http'),
  ]);
  expect(config.get('queue.retry.attempts')).toBe(5);
  expect(config.get('limits.costPerDay')).toBe(2.5);
  expect(config.get('agents.default')).toBe('http');
});

it('a removed setting has its default, and a daemon that did not read that cannot bring it back', async () => {
  await using storage = await openStorage();
  const [one, other] = [await daemonOn(storage), await daemonOn(storage)];
  await one.config.set('queue.retry.attempts', 5);
  await other.config.refresh();
  await one.config.set('queue.retry.attempts', null);
  expect(one.config.get('queue.retry.attempts')).toBe(3);
  await expect(other.config.set('queue.retry.attempts', 6)).rejects.toMatchObject({ code: 'conflict' });
  await other.config.refresh();
  expect(other.config.get('queue.retry.attempts')).toBe(3);
  expect((await daemonOn(storage)).config.originOf('queue.retry.attempts')).toBe('default');
});

it('secrets are sealed in the table', async () => {
  await using storage = await openStorage();
  const one = await daemonOn(storage);
  await one.config.set('providers.openai.apiKey', 'key-of-all');
  expect(JSON.stringify(await rows(storage))).not.toContain('key-of-all');
  expect((await daemonOn(storage)).config.secret('providers.openai.apiKey')).toBe('key-of-all');
});

it('a setting of one daemon stays in its file', async () => {
  await using storage = await openStorage();
  const { config, settingsFile } = await daemonOn(storage);
  expect(await config.set('queue.concurrency', 4)).toMatchObject({ pending: 4, scope: 'daemon' });
  expect(JSON.parse(readFileSync(settingsFile, 'utf8'))).toEqual({ queue: { concurrency: 4 } });
  expect(await rows(storage)).toEqual([]);
});

it('the environment of a daemon wins over the settings of the cluster, for that daemon', async () => {
  await using storage = await openStorage();
  const one = await daemonOn(storage);
  await one.config.set('queue.retry.attempts', 5);
  const other = await daemonOn(storage, { env: { SVC_QUEUE_RETRY_ATTEMPTS: '7' } });
  expect(other.config.get('queue.retry.attempts')).toBe(7);
  expect(other.config.originOf('queue.retry.attempts')).toBe('environment');
});

it('the file of the first daemon becomes the settings of the cluster; those of later files are ignored aloud', async () => {
  await using storage = await openStorage();
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
  const document = {
    queue: { retry: { attempts: 5 }, concurrency: 4 },
    providers: {
      openai: { apiKey: 'key-in-file' },
      mistral: { apiKey: box.seal('sealed', 'settings:providers.mistral.apiKey') },
    },
  };
  const first = await daemonOn(storage, { document, log });
  expect(first.config.get('queue.retry.attempts')).toBe(5);
  expect(first.config.get('queue.concurrency')).toBe(4);
  expect(first.config.secret('providers.openai.apiKey')).toBe('key-in-file');
  expect(first.config.secret('providers.mistral.apiKey')).toBe('sealed');
  expect(JSON.stringify(await rows(storage))).not.toContain('key-in-file');
  expect(warnings).toMatchObject([
    {
      file: first.settingsFile,
      keys: ['queue.retry.attempts', 'providers.openai.apiKey', 'providers.mistral.apiKey'],
    },
  ]);
  const second = await daemonOn(storage, { document: { queue: { retry: { attempts: 9 } } }, log });
  expect(second.config.get('queue.retry.attempts')).toBe(5);
  expect(warnings).toMatchObject([{}, { keys: ['queue.retry.attempts'] }]);
});

it('an invalid setting in the file of the first daemon is named with its line', async () => {
  await using storage = await openStorage();
  await expect(daemonOn(storage, { document: { queue: { retry: { attempts: 0 } } } })).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(/settings\.json:1: queue\.retry\.attempts: /),
  });
  expect(await rows(storage)).toEqual([]);
});

it('what a newer daemon stored and this one cannot take stays as it is in force, and is reported', async () => {
  await using storage = await openStorage();
  const { config } = await daemonOn(storage);
  await config.set('queue.retry.attempts', 5);
  const row = { version: 2, updated_at: '', updated_by: null };
  await storage.database.write(async ({ db }) => {
    await db
      .updateTable('settings')
      .set({ ...row, value: '"many"' })
      .where('key', '=', 'queue.retry.attempts')
      .execute();
    await db
      .insertInto('settings')
      .values({ ...row, key: 'queue.inTheFuture', value: '1' })
      .execute();
  });
  await config.refresh();
  expect(config.get('queue.retry.attempts')).toBe(5);
  expect(config.faults()).toEqual([
    expect.stringContaining('queue.retry.attempts in the settings of the cluster: '),
  ]);
  // Others can be changed, and this one corrected.
  await config.set('limits.costPerDay', 1);
  await config.set('queue.retry.attempts', 6);
  expect(config.get('queue.retry.attempts')).toBe(6);
  expect(config.faults()).toEqual([]);
});
