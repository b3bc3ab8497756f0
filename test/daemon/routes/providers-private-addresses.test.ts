import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import type { Log } from '../../../src/core/log.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';

const baseUrl = 'http://10.1.2.3:8000/v1';
const refusal = 'Requests to 10.1.2.3 are not allowed: it is not a public address (outbound.allowPrivate)';
const setting = 'providers.openai.baseUrl';
const configure = ({ client }: TestDaemon, url: string) =>
  client.providers.configure({ params: { type: 'openai' }, body: { baseUrl: url } });
const update = ({ client }: TestDaemon, key: string, value: string | string[]) =>
  client.config.update({ params: { key }, body: { value } });

describe('a base URL at a private address', () => {
  it('a base URL at a private address is refused with the setting that allows it', async () => {
    await using daemon = await startDaemon();
    await expect(configure(daemon, baseUrl)).rejects.toMatchObject({
      status: 400,
      body: { error: `${setting}: ${refusal}`, details: [{ path: 'baseUrl', message: refusal }] },
    });
    await expect(update(daemon, setting, baseUrl)).rejects.toMatchObject({
      status: 400,
      body: { error: `${setting}: ${refusal}`, details: [{ path: setting, message: refusal }] },
    });
    expect(daemon.app.config.get(setting)).toBeUndefined();
    await update(daemon, 'outbound.allowPrivate', ['10.1.2.3/32']);
    expect((await configure(daemon, baseUrl)).provider).toMatchObject({ baseUrl });
    expect((await update(daemon, setting, baseUrl)).setting).toMatchObject({ value: baseUrl });
  });

  it.each([
    'http://192.168.1.10/v1',
    'http://172.16.0.1/v1',
    'http://169.254.169.254/v1',
    'http://0x0a010203/v1',
    'http://[fd12::1]/v1',
    'http://[::ffff:10.1.2.3]/v1',
  ])('refuses %s', async (url) => {
    await using daemon = await startDaemon();
    await expect(configure(daemon, url)).rejects.toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('outbound.allowPrivate') as string },
    });
  });

  it.each([
    'http://127.0.0.1:1234/v1',
    'http://127.0.0.1:9/v1',
    'http://[::1]:1234/v1',
    'http://localhost:1234/v1',
    'https://8.8.8.8/v1',
  ])('accepts %s', async (url) => {
    await using daemon = await startDaemon();
    expect((await configure(daemon, url)).provider).toMatchObject({ baseUrl: url });
  });

  it('a settings file that has one already starts the daemon, which warns', async () => {
    const home = temporaryFolder();
    const { settingsFile } = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
    mkdirSync(dirname(settingsFile), { recursive: true });
    writeFileSync(settingsFile, JSON.stringify({ providers: { openai: { baseUrl, apiKey: 'sk-test' } } }));
    const warnings: object[] = [];
    const none = () => undefined;
    const log: Log = {
      debug: none,
      info: none,
      warn: (fields, message) => void warnings.push({ ...fields, message }),
      error: none,
    };
    await using daemon = await startDaemon({ home, log });
    expect(warnings).toContainEqual({
      provider: 'openai',
      reason: refusal,
      message: 'the base URL of a model provider is not allowed',
    });
    expect(await daemon.client.providers.checkHealth({ params: { type: 'openai' } })).toMatchObject({
      healthy: false,
      message: expect.stringContaining('outbound.allowPrivate') as string,
    });
    // Its other settings can be changed.
    await daemon.client.providers.configure({ params: { type: 'openai' }, body: { defaultModel: 'm' } });
  });
});
