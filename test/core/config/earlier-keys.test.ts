import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Config, type ConfigSources } from '../../../src/core/config/config.ts';
import { requireWritable } from '../../../src/core/config/require-writable.ts';
import { SecretBox } from '../../../src/core/secrets/secret-box.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-keys-'));
  file = join(folder, 'settings.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const configOf = (sources: Partial<ConfigSources> = {}) =>
  new Config({ env: {}, settingsFile: file, ...sources });
const write = (document: unknown) => writeFileSync(file, JSON.stringify(document, null, 2));
const read = () => JSON.parse(readFileSync(file, 'utf8')) as unknown;
const rules = { 'octo/web': { comments: false } };

describe('a setting stored under the key of an earlier version', () => {
  it('applies a setting under its earlier key, and shows it under the current one', () => {
    write({
      integrations: { tracker_a: { email: 'mia@example.com' }, tracker_b: { scopes: ['read'] } },
      webhooks: { codehost: { rules, aiTaskLabel: 'robot' } },
    });
    const config = configOf();
    expect(config.get('integrations.jira.email')).toBe('mia@example.com');
    expect(config.get('integrations.linear.scopes')).toEqual(['read']);
    expect(config.get('webhooks.github.rules')).toEqual(rules);
    expect(config.list().find(({ value }) => value === 'robot')).toMatchObject({
      key: 'webhooks.github.aiTaskLabel',
      origin: 'settings',
    });
    expect(config.list().some(({ key }) => /codehost|tracker_/.test(key))).toBe(false);
  });

  it('the current key overrides the earlier one', () => {
    write({
      webhooks: { codehost: { aiTaskLabel: 'old', comments: false }, github: { aiTaskLabel: 'new' } },
    });
    const config = configOf();
    expect(config.get('webhooks.github.aiTaskLabel')).toBe('new');
    expect(config.get('webhooks.github.comments')).toBe(false);
  });

  it('an error names an earlier key as it is written', () => {
    write({ webhooks: { codehost: { aiTaskLabel: '' } } });
    expect(() => configOf()).toThrow(`${file}:4: webhooks.codehost.aiTaskLabel: `);
    write({ webhooks: { codehost: { nothing: 1 } } });
    expect(() => configOf()).toThrow(`${file}:4: webhooks.codehost.nothing: There is no such setting`);
  });

  it.each(['webhooks.codehost.aiTaskLabel', 'webhooks.github.aiTaskLabel'])(
    'moves a setting to its current key when it is changed as %s, and removes it on reset',
    async (key) => {
      write({ webhooks: { codehost: { aiTaskLabel: 'old', comments: false } } });
      const config = configOf();
      expect(await config.set(key, 'new')).toMatchObject({
        key: 'webhooks.github.aiTaskLabel',
        value: 'new',
      });
      expect(read()).toEqual({ webhooks: { codehost: { comments: false }, github: { aiTaskLabel: 'new' } } });
      expect(configOf().get('webhooks.github.aiTaskLabel')).toBe('new');
      await config.set(key, null);
      expect(config.get('webhooks.github.aiTaskLabel')).toBe('ai-task');
      expect(read()).toEqual({ webhooks: { codehost: { comments: false } } });
    },
  );

  it('removes the earlier key together with the current one', async () => {
    write({ webhooks: { codehost: { aiTaskLabel: 'old' }, github: { aiTaskLabel: 'new' } } });
    await configOf().set('webhooks.github.aiTaskLabel', null);
    expect(read()).toEqual({});
  });
});

describe('a secret stored under the key of an earlier version', () => {
  const box = new SecretBox(randomBytes(32));
  const sealed = () => box.seal('hush-hush', 'settings:integrations.codehost.clientSecret');
  const opened = () => {
    const config = configOf();
    config.useBox(box);
    return config;
  };

  it.each(['codehost', 'github'])(
    'opens a secret stored under an earlier key, also below the name %s',
    (name) => {
      write({ integrations: { [name]: { clientSecret: sealed() } } });
      expect(opened().secret('integrations.github.clientSecret')).toBe('hush-hush');
    },
  );

  it('a new secret replaces one under an earlier key', async () => {
    write({ integrations: { codehost: { clientSecret: sealed() } } });
    await opened().set('integrations.codehost.clientSecret', 'another');
    expect(read()).toEqual({ integrations: { github: { clientSecret: expect.stringMatching(/^sealed:/) } } });
    expect(opened().secret('integrations.github.clientSecret')).toBe('another');
  });

  it('clears a secret under an earlier key when it would go to another server', async () => {
    write({ integrations: { codehost: { clientSecret: sealed(), clientId: 'ours' } } });
    await opened().set('integrations.codehost.tokenUrl', 'https://evil.example/token');
    expect(opened().secret('integrations.github.clientSecret')).toBeUndefined();
    expect(read()).toEqual({
      integrations: { codehost: { clientId: 'ours' }, github: { tokenUrl: 'https://evil.example/token' } },
    });
  });

  it('a secret under an earlier key opens only for its own vendor', () => {
    write({ integrations: { tracker_b: { clientSecret: sealed() } } });
    expect(() => opened().secret('integrations.linear.clientSecret')).toThrow();
  });
});

describe('an environment variable of an earlier version', () => {
  const before = 'SVC_INTEGRATIONS_CODEHOST_CLIENT_ID';
  const now = 'SVC_INTEGRATIONS_GITHUB_CLIENT_ID';
  const key = 'integrations.github.clientId';
  const settingOf = (config: Config) => config.list().find((setting) => setting.key === key);

  it('a variable of an earlier version sets the setting, and is named as its origin', () => {
    const config = configOf({ env: { [before]: 'ours' } });
    expect(settingOf(config)).toMatchObject({ value: 'ours', origin: 'environment', environment: before });
    expect(() => requireWritable(config, key)).toThrow(
      `${before} in the environment of the daemon sets ${key}`,
    );
  });

  it('the current variable overrides the one of an earlier version', () => {
    const config = configOf({ env: { [before]: 'old', [now]: 'new' } });
    expect(settingOf(config)).toMatchObject({ value: 'new', environment: now });
    expect(settingOf(configOf())).toMatchObject({ value: null, environment: now });
  });

  it('the variable of a webhook secret keeps the name of the interface', () => {
    const config = configOf({ env: { TRACKER_A_WEBHOOK_SECRET: 'from-the-environment' } });
    expect(config.secret('webhooks.jira.signingSecret')).toBe('from-the-environment');
  });
});
