import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { Config } from '../../../src/core/config/config.ts';
import { EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { composeSettings } from '../../../src/core/settings/compose-settings.ts';
import { composeSharedSettings } from '../../../src/core/settings/compose-shared-settings.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { openStorage, type TestStorage } from '../../helpers/storage.ts';

async function daemonOn({ database }: TestStorage, warnings: object[] = []) {
  const settingsFile = join(temporaryFolder(), 'settings.json');
  const config = new Config({ env: { SVC_MODE: 'pro' }, settingsFile });
  const bus = new EventBus();
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
  await composeSharedSettings({ config, database, bus, runtime, log, locations: { settingsFile } });
  const reset: string[] = [];
  const { services, lifecycle } = composeSettings({
    config,
    database,
    bus,
    log,
    audit: new AuditLog(runtime, database.engine),
    modelProviders: {
      setSetting: (key, value, author) => config.set(key, value, author),
      resetFor: (key) => void reset.push(key),
    },
  });
  await lifecycle?.start?.();
  return {
    config,
    bus,
    reset,
    settings: services.settings,
    [Symbol.asyncDispose]: async () => void (await lifecycle?.stop?.(0)),
  };
}
const client = { address: '127.0.0.1' };

it('a change on one daemon reaches the features of another with the event', async () => {
  await using storage = await openStorage();
  await using one = await daemonOn(storage);
  await using other = await daemonOn(storage);
  const heard = new Promise<string>((resolve) => {
    other.settings.onChange(async (key) => resolve(key));
  });
  await one.settings.change(owner, 'providers.openai.defaultModel', 'gpt-5', client);
  // As a relay passes it on.
  other.bus.emit('settings_changed', { keys: [] });
  expect(await heard).toBe('providers.openai.defaultModel');
  expect(other.config.get('providers.openai.defaultModel')).toBe('gpt-5');
  expect(other.reset).toEqual(['providers.openai.defaultModel']);
});

it('a change on a daemon that missed another one first reads it', async () => {
  await using storage = await openStorage();
  await using one = await daemonOn(storage);
  await using other = await daemonOn(storage);
  await one.settings.change(owner, 'queue.retry.attempts', 5, client);
  await one.settings.change(owner, 'limits.costPerDay', 2, client);
  await other.settings.change(owner, 'queue.retry.attempts', 6, client);
  expect(other.config.get('limits.costPerDay')).toBe(2);
  const [row] = await storage.database.read
    .selectFrom('settings')
    .select(['value', 'version'])
    .where('key', '=', 'queue.retry.attempts')
    .execute();
  expect(row).toEqual({ value: '6', version: 2 });
});

it('a setting of a newer daemon that this one cannot take is reported once', async () => {
  await using storage = await openStorage();
  const warnings: object[] = [];
  await using daemon = await daemonOn(storage, warnings);
  const values = { version: 1, updated_at: '', updated_by: null };
  const store = (key: string, value: string) =>
    storage.database.write(({ db }) =>
      db
        .insertInto('settings')
        .values({ key, value, ...values })
        .execute(),
    );
  for (const [key, value] of [
    ['queue.retry.attempts', '"many"'],
    ['limits.costPerDay', '2'],
  ] as const) {
    await store(key, value);
    const heard = new Promise<void>((resolve) => {
      daemon.settings.onChange(async () => resolve());
    });
    daemon.bus.emit('settings_changed', { keys: [key] });
    if (key === 'limits.costPerDay') await heard;
  }
  expect(warnings).toEqual([{ fault: expect.stringContaining('queue.retry.attempts') }]);
});
