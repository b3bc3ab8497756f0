import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingKeys } from '../../../src/core/config/settings.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { runSql } from '../../helpers/daemon-rows.ts';
import { isPro } from '../../helpers/pro.ts';

const fileOf = ({ home }: { home: string }) => `${home}/settings.json`;
const settingOf = async ({ client }: TestDaemon, key: string) =>
  (await client.config.list()).settings.find((setting) => setting.key === key);
const set = (
  { client }: TestDaemon,
  key: string,
  value: Parameters<typeof client.config.update>[0]['body']['value'],
) => client.config.update({ params: { key }, body: { value } });

describe('GET /api/config', () => {
  it('lists every setting with the origin of its value', async () => {
    const home = temporaryFolder();
    writeFileSync(fileOf({ home }), '{"queue":{"retry":{"attempts":5}},"log":{"level":"warn"}}');
    await using daemon = await startDaemon({
      home,
      env: { POOL_MAX_CONCURRENT: '3', SVC_LOG_LEVEL: 'error' },
    });
    const { settings } = await daemon.client.config.list();
    expect(settings.map(({ key }) => key)).toEqual(settingKeys);
    for (const { description, environment } of settings) {
      expect(description).toMatch(/^\w/);
      expect(environment).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }
    expect(await settingOf(daemon, 'queue.concurrency')).toMatchObject({
      value: 3,
      default: 10,
      origin: 'environment',
    });
    expect(await settingOf(daemon, 'queue.retry.attempts')).toMatchObject({
      value: 5,
      default: 3,
      origin: 'settings',
    });
    expect(await settingOf(daemon, 'queue.retry.backoff')).toMatchObject({ value: 5, origin: 'flag' });
    expect(await settingOf(daemon, 'pool.timeoutMs')).toMatchObject({ value: 1_800_000, origin: 'default' });
    // The environment wins over the file.
    expect(await settingOf(daemon, 'log.level')).toMatchObject({ value: 'error', origin: 'environment' });
  });
});

describe('PUT /api/config/:key', () => {
  it('applies a live setting at once and keeps it for the next start', async () => {
    const first = await startDaemon();
    const answer = await set(first, 'queue.retry.attempts', 7);
    expect(answer).toEqual({
      message: 'queue.retry.attempts is set',
      setting: expect.objectContaining({ value: 7, origin: 'settings', needsRestart: false }),
    });
    expect(answer.setting).not.toHaveProperty('pending');
    const { task } = await first.client.tasks.create({ body: { title: 'x' } });
    expect(task.maxAttempts).toBe(7);
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect(await settingOf(second, 'queue.retry.attempts')).toMatchObject({ value: 7, origin: 'settings' });
  });

  it('applies a setting that needs a restart only after it', async () => {
    const first = await startDaemon();
    const { message, setting } = await set(first, 'queue.concurrency', 4);
    expect(message).toBe('queue.concurrency is set and takes effect at the next start');
    expect(setting).toMatchObject({ value: 10, pending: 4, needsRestart: true, origin: 'default' });
    expect(await settingOf(first, 'queue.concurrency')).toEqual(setting);
    expect((await first.client.queue.getStatus()).workers.tasks.concurrency).toBe(10);
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect(await settingOf(second, 'queue.concurrency')).toMatchObject({ value: 4, origin: 'settings' });
    expect((await second.client.queue.getStatus()).workers.tasks.concurrency).toBe(4);
  });

  it('null removes a setting', async () => {
    await using daemon = await startDaemon();
    await set(daemon, 'queue.retry.type', 'fixed');
    await set(daemon, 'agents.default', 'command');
    const stored = async () =>
      isPro
        ? await runSql(daemon, "select key, value from settings where value <> 'null' order by key")
        : JSON.parse(readFileSync(fileOf(daemon), 'utf8'));
    expect(await stored()).toEqual(
      isPro
        ? [
            { key: 'agents.default', value: '"command"' },
            { key: 'queue.retry.type', value: '"fixed"' },
          ]
        : { queue: { retry: { type: 'fixed' } }, agents: { default: 'command' } },
    );
    const { setting } = await set(daemon, 'queue.retry.type', null);
    expect(setting).toMatchObject({ value: 'exponential', origin: 'default' });
    expect(await stored()).toEqual(
      isPro ? [{ key: 'agents.default', value: '"command"' }] : { agents: { default: 'command' } },
    );
  });

  it('writes the settings file with mode 0600, and leaves nothing beside it', async () => {
    await using daemon = await startDaemon();
    // In a cluster, the file holds what each daemon has for itself.
    await set(daemon, 'server.maxConnections', 600);
    expect(statSync(fileOf(daemon)).mode & 0o777).toBe(0o600);
    expect(statSync(daemon.home).mode & 0o077).toBe(0);
  });

  it('a changed setting does not override the command line or the environment', async () => {
    await using daemon = await startDaemon({ env: { POOL_TIMEOUT_MS: '5000' } });
    expect((await set(daemon, 'pool.timeoutMs', 9000)).setting).toMatchObject({
      value: 5000,
      origin: 'environment',
    });
    expect((await set(daemon, 'queue.retry.backoff', 9000)).setting).toMatchObject({
      value: 5,
      origin: 'flag',
    });
  });

  it.each([
    ['queue.retry.attempts', 0],
    ['queue.retry.attempts', 21],
    ['queue.retry.attempts', '3'],
    ['queue.retry.attempts', 1.5],
    ['queue.retry.type', 'linear'],
    ['server.port', 65_536],
    ['server.baseUrl', 'ftp://example.org'],
    ['outbound.allowPrivate', ['10.0.0.1']],
    ['outbound.allowPrivate', '10.0.0.0/8'],
    ['agents.http.url', 'nowhere'],
    ['mode', 'cluster'],
    ['system.authMode', 'none'],
    ['log.level', { level: 'info' }],
  ])('rejects the setting %s = %j', async (key, value) => {
    await using daemon = await startDaemon();
    const before = await daemon.client.config.list();
    await expect(set(daemon, key, value)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(key),
      details: [{ path: key, message: expect.stringMatching(/\w/) }],
    });
    expect(await daemon.client.config.list()).toEqual(before);
    expect(() => statSync(fileOf(daemon))).toThrow('ENOENT');
  });

  it.each(['nothing', 'queue', 'queue.retry', '__proto__', 'constructor', 'queue.__proto__.x', 'toString'])(
    'rejects the unknown setting %s',
    async (key) => {
      await using daemon = await startDaemon();
      await expect(set(daemon, key, 1)).rejects.toMatchObject({ status: 404 });
    },
  );
});

describe('an invalid settings file', () => {
  it.each([
    ['{\n  "queue": {\n    "concurrency": 0\n  }\n}', ':3: queue.concurrency: '],
    ['{\n  "queue": {\n    "retry": { "type":\n "linear" } } }', ':4: queue.retry.type: '],
    ['{\n\n  "queue": { "concurency": 4 }\n}', ':3: queue.concurency: There is no such setting'],
    ['{\n  "queue": 3\n}', ':2: queue: There is no such setting'],
    ['{\n  "mode": "mini",\n}', ':3: '],
    ['{\n  "mode" "mini"\n}', ':2: '],
    ['// mine\n{}', ':1: '],
    ['[]', ':1: Expected a JSON object'],
    ['"text"', ':1: Expected a JSON object'],
  ])('the settings file %j prevents the start, with file and line', async (text, expected) => {
    const home = temporaryFolder();
    writeFileSync(fileOf({ home }), text);
    await expect(startDaemon({ home })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(`${fileOf({ home })}${expected}`),
    });
  });

  it.each([
    ['POOL_MAX_CONCURRENT', 'many'],
    ['POOL_TIMEOUT_MS', 'soon'],
    ['SVC_OUTBOUND_ALLOW_PRIVATE', '10.0.0.0/8,nonsense'],
  ])('an invalid variable prevents the start: %s=%s', async (name, value) => {
    await expect(startDaemon({ env: { [name]: value } })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(`${name}: `),
    });
  });

  it('accepts an empty or missing settings file', async () => {
    const home = temporaryFolder();
    writeFileSync(fileOf({ home }), '\n');
    await using daemon = await startDaemon({ home });
    expect(await settingOf(daemon, 'queue.concurrency')).toMatchObject({ value: 10, origin: 'default' });
  });
});

describe('a change of a setting', () => {
  it('a changed setting is in the audit log, without its value', async () => {
    await using daemon = await startDaemon();
    await daemon.client.config.update({
      params: { key: 'outbound.allowPrivate' },
      body: { value: ['10.9.8.0/24'] },
    });
    const { entries } = await daemon.client.audit.list({ query: { tool: 'config.changed' } });
    expect(entries).toMatchObject([{ userId: 'user_owner', arguments: { key: 'outbound.allowPrivate' } }]);
    expect(JSON.stringify(entries)).not.toContain('10.9.8');
  });

  it('a changed origin clears the secret that was set for the earlier one', async () => {
    await using daemon = await startDaemon();
    const secret = 'integrations.github.clientSecret' as const;
    const set = (key: string, value: string) =>
      daemon.client.config.update({ params: { key }, body: { value } });
    await set(secret, 'the first one');
    await set(secret, 'hush-hush');
    expect(daemon.app.config.secret(secret)).toBe('hush-hush');
    await set('integrations.github.apiUrl', 'https://api.github.com/v3');
    expect(daemon.app.config.secret(secret)).toBe('hush-hush');
    await set('integrations.github.tokenUrl', 'https://evil.example/token');
    expect(daemon.app.config.secret(secret)).toBeUndefined();
  });
});
