import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Config } from '../../../src/core/config/config.ts';
import { environmentNameOf } from '../../../src/core/config/settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';

const values = {
  'queue.name': 'mine',
  'queue.notificationName': 'mine too',
  'queue.notificationConcurrency': 7,
  'queue.redis.url': 'redis://localhost:6379',
} as const;
const keys = Object.keys(values) as (keyof typeof values)[];
const defaults = {
  queue: { name: 'ai-tasks', notificationName: 'ai-task-notifications', notificationConcurrency: 5 },
};
const onlyPro = 'takes effect only in mode pro, which this version does not have yet';

/** The settings file of a folder that holds this document. */
function fileWith(document: object, home = temporaryFolder()): string {
  const file = join(home, 'settings.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}
const nested = (key: string, value: unknown): object =>
  Object.fromEntries([
    key.includes('.')
      ? [key.slice(0, key.indexOf('.')), nested(key.slice(key.indexOf('.') + 1), value)]
      : [key, value],
  ]);

describe.each(keys)('the setting %s', (key) => {
  const value = values[key];

  it('a Pro setting is refused in the settings file, the environment and flags', () => {
    const open = (sources: object, document = {}) =>
      new Config({ env: {}, settingsFile: fileWith(document), ...sources });
    expect(() => open({}, nested(key, value))).toThrow(new RegExp(`settings.json:1: ${key}: .*${onlyPro}`));
    const variable = environmentNameOf(key);
    expect(() => open({ env: { [variable]: String(value) } })).toThrow(
      new RegExp(`${variable}: .*${onlyPro}`),
    );
    expect(() => open({ flags: { [key]: value } })).toThrow(new RegExp(onlyPro));
  });
});

it('the API refuses Pro settings, and removes them from the file', async () => {
  const home = temporaryFolder();
  const file = fileWith(defaults, home);
  await using daemon = await startDaemon({ home });
  for (const key of keys)
    await expect(
      daemon.client.config.update({ params: { key }, body: { value: values[key] } }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining(onlyPro) });
  await daemon.client.config.update({ params: { key: 'queue.name' }, body: { value: null } });
  expect(readFileSync(file, 'utf8')).not.toContain('"name"');
});

it('Pro settings at their defaults in an older file are ignored with a warning', async () => {
  const home = temporaryFolder();
  fileWith(defaults, home);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  await using daemon = await startDaemon({ home, log });
  const ignored = warnings.filter((warning) => warning.includes(onlyPro));
  expect(ignored.map((warning) => /: (queue\.\w+): Ignored/.exec(warning)?.[1])).toEqual([
    'queue.name',
    'queue.notificationName',
    'queue.notificationConcurrency',
  ]);
  const { workers } = await daemon.client.queue.getStatus();
  expect(workers.notifications).toEqual({ running: true, concurrency: 5 });
});
