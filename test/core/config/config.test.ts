import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Config, type ConfigSources } from '../../../src/core/config/config.ts';
import {
  defaultOf,
  definitionOf,
  environmentNameOf,
  settingKeys,
  settings,
} from '../../../src/core/config/settings.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
  file = join(folder, 'settings.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const configOf = (sources: Partial<ConfigSources> = {}) =>
  new Config({ env: {}, settingsFile: file, ...sources });
const write = (document: unknown) => writeFileSync(file, JSON.stringify(document));
const read = () => JSON.parse(readFileSync(file, 'utf8')) as unknown;

describe('the value of a setting', () => {
  it.each(['mini', 'pico'] as const)('is by default what its schema makes of it, in mode %s', (mode) => {
    const defaults = Object.fromEntries(settingKeys.map((key) => [key, defaultOf(key, mode)]));
    const parsed = settingKeys.map((key) => [key, definitionOf(key).schema.parse(defaults[key])]);
    expect(Object.fromEntries(parsed)).toEqual(defaults);
  });

  it('a setting comes from the flag, else the environment, else the file, else the default', () => {
    const source = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined });
    fc.assert(
      fc.property(source, source, source, (flag, environment, inFile) => {
        write(inFile === undefined ? {} : { queue: { retry: { attempts: inFile } } });
        const config = configOf({
          flags: flag === undefined ? {} : { 'queue.retry.attempts': flag },
          env: environment === undefined ? {} : { SVC_QUEUE_RETRY_ATTEMPTS: String(environment) },
        });
        expect(config.get('queue.retry.attempts')).toBe(flag ?? environment ?? inFile ?? 3);
        const origin =
          flag !== undefined
            ? 'flag'
            : environment !== undefined
              ? 'environment'
              : inFile !== undefined
                ? 'settings'
                : 'default';
        expect(config.list().find(({ key }) => key === 'queue.retry.attempts')?.origin).toBe(origin);
      }),
      { numRuns: 50 },
    );
  });

  it('derives a value from settings again only after one of them has changed', async () => {
    const config = configOf();
    let computed = 0;
    const derived = config.derive(() => `${++computed}: ${config.get('agents.default')}`);
    expect([derived(), derived()]).toEqual(['1: undefined', '1: undefined']);
    await config.set('agents.default', 'claude');
    expect([derived(), derived()]).toEqual(['2: claude', '2: claude']);
    await config.set('agents.default', null);
    expect(derived()).toBe('3: undefined');
  });

  it('an unset setting has the default of the mode', () => {
    expect(configOf().get('queue.concurrency')).toBe(10);
    expect(configOf({ env: { SVC_MODE: 'pico' } }).get('queue.concurrency')).toBe(2);
    expect(configOf({ env: { SVC_MODE: 'pico', POOL_MAX_CONCURRENT: '7' } }).get('queue.concurrency')).toBe(
      7,
    );
    write({ mode: 'pico' });
    expect(configOf().get('storage.cacheMiB')).toBe(4);
  });

  it('parses a variable by the type of its setting', () => {
    const config = configOf({
      env: {
        SVC_PORT: ' 8080 ',
        SVC_OUTBOUND_ALLOW_PRIVATE: '10.0.0.0/8, fd00::/8 ,',
        SVC_BASE_URL: 'https://svc.example.org',
        SVC_AGENTS_DEFAULT: '17',
        SVC_HOST: '',
      },
    });
    expect(config.get('server.port')).toBe(8080);
    expect(config.get('outbound.allowPrivate')).toEqual(['10.0.0.0/8', 'fd00::/8']);
    expect(config.get('server.baseUrl')).toBe('https://svc.example.org');
    expect(config.get('agents.default')).toBe('17');
    // An empty variable is as good as none.
    expect(config.get('server.host')).toBe('127.0.0.1');
  });

  it.each(['1e400', '0x10', 'ten', '3.5', '-1', ' '])('rejects %j as the number of a variable', (text) => {
    expect(() => configOf({ env: { POOL_TIMEOUT_MS: text } })).toThrow(/^POOL_TIMEOUT_MS: \w/);
  });

  it('every default is valid for its schema, and every setting has its own variable', () => {
    const config = configOf();
    for (const key of settingKeys)
      expect(settings[key].schema.safeParse(config.get(key)).success, key).toBe(true);
    const names = settingKeys.map(environmentNameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(environmentNameOf('queue.notificationConcurrency')).toBe('SVC_QUEUE_NOTIFICATION_CONCURRENCY');
    expect(environmentNameOf('pool.timeoutMs')).toBe('POOL_TIMEOUT_MS');
  });
});

describe('changing a setting', () => {
  it('keeps external edits of the settings file', async () => {
    const config = configOf();
    await config.set('queue.retry.attempts', 5);
    write({ queue: { retry: { attempts: 5, backoff: 77 } }, agents: { default: 'command' } });
    await config.set('queue.retry.type', 'fixed');
    expect(read()).toEqual({
      queue: { retry: { attempts: 5, backoff: 77, type: 'fixed' } },
      agents: { default: 'command' },
    });
    expect(config.get('queue.retry.backoff')).toBe(77);
  });

  it('changes nothing when the settings file has become invalid', async () => {
    const config = configOf();
    writeFileSync(file, '{ "queue": ');
    await expect(config.set('queue.retry.attempts', 5)).rejects.toThrow(`${file}:1: `);
    expect(readFileSync(file, 'utf8')).toBe('{ "queue": ');
    expect(config.get('queue.retry.attempts')).toBe(3);
  });

  // The superuser writes everywhere.
  it.skipIf(process.getuid?.() === 0)(
    'changes nothing when the settings file cannot be written',
    async () => {
      const config = configOf();
      await config.set('queue.retry.attempts', 5);
      chmodSync(folder, 0o500);
      await expect(config.set('queue.retry.attempts', 6)).rejects.toThrow('EACCES');
      chmodSync(folder, 0o700);
      expect(config.get('queue.retry.attempts')).toBe(5);
      expect(configOf().get('queue.retry.attempts')).toBe(5);
    },
  );

  it('creates the directory of the settings file', async () => {
    const inside = join(folder, 'a', 'b', 'settings.json');
    await configOf({ settingsFile: inside }).set('agents.default', 'command');
    expect(existsSync(inside)).toBe(true);
    expect(configOf({ settingsFile: inside }).get('agents.default')).toBe('command');
  });

  it('changes one entry of a setting of entries by its name', async () => {
    const config = configOf();
    await config.set('routes.fast', ['groq/a', 'openai/b']);
    await config.set('routes.cheap.v2', '["openai/c"]');
    expect(config.get('routes')).toEqual({ fast: ['groq/a', 'openai/b'], 'cheap.v2': ['openai/c'] });
    await config.set('models.prices.ollama/qwen3', { input: 0, output: 0 });
    expect(configOf().get('models.prices')).toMatchObject({ 'ollama/qwen3': { input: 0 } });
    await expect(config.set('routes.fast', ['no provider'])).rejects.toThrow('Expected provider/model');
    await expect(config.set('routes.Bad Name', ['openai/b'])).rejects.toThrow('name of a route');
    await expect(config.set('providers.servers.own', { baseUrl: 'http://x.test' })).rejects.toThrow(
      'no such',
    );
    await config.set('routes.fast', null);
    await config.set('routes.cheap.v2', null);
    expect(read()).toEqual({ models: { prices: { 'ollama/qwen3': { input: 0, output: 0 } } } });
  });

  it('reverts a value that waits for the next start', async () => {
    const config = configOf();
    expect(await config.set('queue.concurrency', 4)).toMatchObject({ value: 10, pending: 4 });
    expect(await config.set('queue.concurrency', null)).not.toHaveProperty('pending');
    expect(read()).toEqual({});
  });

  it.each(['__proto__', 'constructor.prototype', 'queue.__proto__.polluted', 'hasOwnProperty'])(
    'rejects the unknown setting %s',
    async (key) => {
      await expect(configOf().set(key, 1)).rejects.toThrow('There is no such setting');
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(existsSync(file)).toBe(false);
    },
  );
});
