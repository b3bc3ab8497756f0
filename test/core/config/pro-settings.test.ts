import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import { Config, type ConfigSources } from '../../../src/core/config/config.ts';
import { environmentNameOf, type SettingKey } from '../../../src/core/config/settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';

const values = {
  'queue.name': 'mine',
  'queue.notificationName': 'mine too',
  'queue.notificationConcurrency': 7,
  'queue.redis.url': 'redis://localhost:6379',
  'storage.url': 'postgres://svc@localhost/svc',
  'storage.tls': 'off',
  'storage.readers': 3,
  'storage.writers': 3,
  'storage.prepared': false,
  'daemon.role': 'api',
  'daemon.name': 'left',
  'daemon.host': 'machine-1',
  'daemon.labels': ['gpu'],
} as const;
const keys = Object.keys(values) as (keyof typeof values)[];
const defaults = {
  queue: { name: 'ai-tasks', notificationName: 'ai-task-notifications', notificationConcurrency: 5 },
};
const onlyPro = 'It takes effect only in mode pro';

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
const open = (sources: Partial<ConfigSources>, document = {}) =>
  new Config({ env: {}, settingsFile: fileWith(document), ...sources });
const shownValue = (config: Config, key: SettingKey) => config.list().find((each) => each.key === key)?.value;

describe.each(keys)('the setting %s', (key) => {
  const value = values[key];
  const variable = environmentNameOf(key);

  it('is refused outside mode pro in the settings file, the environment and flags', () => {
    expect(() => open({}, nested(key, value))).toThrow(new RegExp(`settings.json:1: ${key}: .*${onlyPro}`));
    expect(() => open({ flags: { [key]: value } })).toThrow(onlyPro);
    // Of many other programs too.
    if (key === 'storage.url') return;
    expect(() => open({ env: { [variable]: String(value) } })).toThrow(
      new RegExp(`${variable}: .*${onlyPro}`),
    );
  });

  it('has the value of the environment in mode pro', () => {
    const config = open({ env: { SVC_MODE: 'pro', [variable]: String(value) } });
    expect(config.get(key)).toEqual(value);
    expect(config.originOf(key)).toBe('environment');
  });
});

it('the API refuses Pro settings, and removes them from the file', async () => {
  const home = temporaryFolder();
  const file = fileWith(defaults, home);
  await using daemon = await startDaemon({ home, flags: { mode: 'mini' } });
  for (const key of keys)
    await expect(
      daemon.client.config.update({ params: { key }, body: { value: values[key] as string } }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining(onlyPro) });
  await daemon.client.config.update({ params: { key: 'queue.name' }, body: { value: null } });
  expect(readFileSync(file, 'utf8')).not.toContain('"name"');
});

it('Pro settings at their defaults in an older file are ignored with a warning', async () => {
  const home = temporaryFolder();
  fileWith(defaults, home);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  await using daemon = await startDaemon({ home, log, flags: { mode: 'mini' } });
  const ignored = warnings.filter((warning) => warning.includes(onlyPro));
  expect(ignored.map((warning) => /: (queue\.\w+): Ignored/.exec(warning)?.[1])).toEqual([
    'queue.name',
    'queue.notificationName',
    'queue.notificationConcurrency',
  ]);
  const { workers } = await daemon.client.queue.getStatus();
  expect(workers.notifications).toEqual({ running: true, concurrency: 5 });
});

it('DATABASE_URL of another program is ignored outside mode pro, as is its file', () => {
  expect(open({ env: { DATABASE_URL: 'mysql://elsewhere/db' } }).get('storage.url')).toBeUndefined();
  expect(open({ env: { DATABASE_URL_FILE: '/nonexistent' } }).get('storage.url')).toBeUndefined();
});

describe('the URL of the database', () => {
  const withUrl = (url: string, more: Record<string, string> = {}) =>
    open({ env: { SVC_MODE: 'pro', DATABASE_URL: url, ...more } });

  it.each([
    'postgres://svc@localhost/svc',
    'postgresql://svc:word@127.0.0.1:5433/svc',
    'postgres://svc@[::1]/svc',
    'postgres:///svc?host=/run/postgresql',
    'postgres://svc@%2Frun%2Fpostgresql/svc',
    'postgres://svc:a@b%40%2F%23c@localhost/svc',
    'postgres://svc@db.example.org/svc?sslmode=verify-full',
  ])('may be %s', (url) => {
    expect(withUrl(url).get('storage.url')).toBe(url);
  });

  it.each([
    ['postgres://svc@db.example.org/svc', 'sslmode=verify-full'],
    ['postgres://svc@db.example.org/svc?sslmode=require', 'sslmode=verify-full'],
    ['postgres://svc@localhost/svc?host=db.example.org', 'sslmode=verify-full'],
    ['mysql://svc@localhost/svc', 'Expected a URL such as postgres://'],
    ['postgres//svc@localhost/svc', 'Expected a URL such as postgres://'],
    ['postgres://svc:wo#rd@localhost/svc', 'no letter and no digit percent-encoded'],
    ['postgres://svc@localhost/svc?password=word', 'Expected the password in front of the host'],
    ['postgres://svc@10.0.0.1:5432,10.0.0.2:5432/svc', 'with one host'],
    ['postgres://svc@localhost,localhost/svc', 'with one host'],
  ])('may not be %s', (url, message) => {
    expect(() => withUrl(url)).toThrow(message);
  });

  it('needs no TLS where storage.tls is off', () => {
    const url = 'postgres://svc@db.example.org/svc';
    expect(withUrl(url, { SVC_STORAGE_TLS: 'off' }).get('storage.url')).toBe(url);
  });
});

it.each([
  ['DATABASE_URL', 'postgres://svc:hush/ff@localhost/svc'],
  ['DATABASE_URL', 'postgres://svc:12/ff@localhost/svc'],
  ['DATABASE_URL', 'postgres://svc:12#ff@localhost/svc'],
  ['DATABASE_URL', 'postgres://svc:12?ff@localhost/svc'],
  [environmentNameOf('queue.redis.url'), 'redis://svc:12/ff@localhost'],
  [environmentNameOf('queue.redis.url'), 'redis://:hush#ff@localhost'],
  [environmentNameOf('queue.redis.url'), 'redis://:50%ff@localhost'],
])('%s with a password that is not percent-encoded is refused without showing it: %s', (variable, url) => {
  const start = () => open({ env: { SVC_MODE: 'pro', [variable]: url } });
  expect(start).toThrow('percent-encoded, such as %40 for @');
  expect(start).not.toThrow(/ff|hush|12|50/);
});

describe.each([
  ['storage.url', 'postgres://svc:hush%40hush@localhost/svc', 'postgres://svc:••••••••@localhost/svc'],
  [
    'queue.redis.url',
    'rediss://:hush@redis.example.org:6380/2',
    'rediss://:••••••••@redis.example.org:6380/2',
  ],
] as const)('the password in %s', (key, url, masked) => {
  const variable = environmentNameOf(key);
  const env = { SVC_MODE: 'pro', [variable]: url };

  it('is not shown', () => {
    const config = open({ env });
    expect(config.get(key)).toBe(url);
    expect(shownValue(config, key)).toBe(masked);
  });

  it('is not in the error for a wrong URL', () => {
    const wrong = `ftp://svc:hush@db.example.org/svc`;
    const start = () => open({ env: { ...env, [variable]: wrong } });
    expect(start).toThrow(variable);
    expect(start).not.toThrow('hush');
  });

  it('is not taken through the API, which stores the URL without it', async () => {
    const settingsFile = fileWith({ mode: 'pro' });
    const config = new Config({ env: {}, settingsFile });
    await expect(config.set(key, url)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringMatching(new RegExp(`^${key}: .*${variable}_FILE$`)),
    });
    const bare = url.replace(/\/\/.*@/, '//svc@');
    await expect(config.set(key, bare)).resolves.toMatchObject({ pending: bare });
    expect(readFileSync(settingsFile, 'utf8')).not.toContain('hush');
  });
});

describe('a variable of a secret with _FILE', () => {
  const secretFile = (text: string) => {
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, text);
    return file;
  };

  it('names the file that holds the value', () => {
    const url = 'postgres://svc:hush@localhost/svc';
    const env = { SVC_MODE: 'pro', DATABASE_URL_FILE: secretFile(`${url}\n`) };
    const config = open({ env });
    expect(config.get('storage.url')).toBe(url);
    expect(config.variableOf('storage.url')).toBe('DATABASE_URL_FILE');
  });

  it('is hidden from tools, as the master seed is', async () => {
    const [key, seed] = [secretFile('key-1'), secretFile('2'.repeat(64))];
    await using daemon = await startDaemon({ env: { OPENAI_API_KEY_FILE: key } });
    expect(daemon.app.protectedDirectories).toContain(key);
    const env = { SVC_HOME: daemon.home, SVC_MASTER_SEED_FILE: seed };
    expect(locate({ env, platform: 'linux', home: daemon.home }).identityFile).toBe(seed);
    expect(daemon.app.protectedDirectories).toContain(`${daemon.home}/identity`);
  });

  it('works for keys in any mode', () => {
    expect(
      open({ env: { OPENAI_API_KEY_FILE: secretFile('key-1\n') } }).secret('providers.openai.apiKey'),
    ).toBe('key-1');
  });

  it('is refused beside the variable itself', () => {
    const env = { OPENAI_API_KEY: 'a', OPENAI_API_KEY_FILE: secretFile('b') };
    expect(() => open({ env })).toThrow('Both OPENAI_API_KEY and OPENAI_API_KEY_FILE are set');
  });

  it.each([
    ['cannot be read', '/nonexistent/secret'],
    ['is empty', secretFile('\n')],
  ])('is refused where the file %s', (problem, file) => {
    expect(() => open({ env: { QUEUE_STORE_URL_FILE: file } })).toThrow(
      `QUEUE_STORE_URL_FILE: ${file} ${problem}`,
    );
  });
});
