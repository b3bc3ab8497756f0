import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { runSql, storedTexts } from '../../helpers/daemon-rows.ts';
import { isPro } from '../../helpers/pro.ts';

const key = 'tools.mcpServers';
const secret = 'tracker-token-0123456789';
const files = { command: 'files-server', args: ['/srv'], env: { FILES_TOKEN: secret } };
const tracker = { url: 'https://tracker.example/mcp', headers: { Authorization: `Bearer ${secret}` } };
const masked = '••••••••';

const set = (daemon: TestDaemon, value: object | string) =>
  daemon.client.config.update({ params: { key }, body: { value: value as Record<string, string> } });
const opened = (daemon: TestDaemon) => daemon.app.config.opened(key);

describe('the MCP servers of the settings', () => {
  it('MCP server secrets are masked, stored sealed and survive a restart', async () => {
    await using daemon = await startDaemon();
    const answer = await set(daemon, { files, tracker });
    expect(answer.setting).toMatchObject({
      isSecret: true,
      needsRestart: false,
      value: {
        files: { command: 'files-server', env: { FILES_TOKEN: masked } },
        tracker: { url: tracker.url, headers: { Authorization: masked } },
      },
    });
    expect(JSON.stringify([answer, await daemon.client.config.list()])).not.toContain(secret);
    expect(opened(daemon)).toMatchObject({ files, tracker });
    await daemon.stop();
    const stored = (await storedTexts(daemon)).join('');
    expect(stored).not.toContain(secret);
    expect(stored.match(/sealed:v1:/g)).toHaveLength(2);
    await using again = await startDaemon({ home: daemon.home });
    expect(opened(again)).toMatchObject({ files, tracker });
  });

  it('a mask keeps the stored secret of an MCP server, unless it would go elsewhere', async () => {
    await using daemon = await startDaemon();
    await set(daemon, { files, tracker });
    const env = { FILES_TOKEN: masked };
    const headers = { Authorization: masked };
    await set(daemon, {
      files: { ...files, env, enabled: false },
      tracker: { url: 'https://tracker.example/other', headers },
    });
    expect(opened(daemon)).toMatchObject({
      files: { ...files, enabled: false },
      tracker: { headers: tracker.headers },
    });
    for (const value of [
      { files: { ...files, args: ['/elsewhere'], env } },
      { files: { ...files, command: 'other', env } },
      { tracker: { url: 'https://elsewhere.example/mcp', headers } },
      { unknown: { ...files, env } },
      { files: { ...files, env: { OTHER_TOKEN: masked } } },
    ])
      await expect(set(daemon, value), JSON.stringify(value)).rejects.toMatchObject({ status: 400 });
    expect(opened(daemon).tracker).toMatchObject({ headers: tracker.headers });
  });

  it('refuses a sealed secret that was moved to another MCP server where it is stored', async () => {
    await using daemon = await startDaemon();
    await set(daemon, { files });
    await daemon.stop();
    if (isPro) await runSql(daemon, `update settings set value = replace(value, '"files":', '"other":')`);
    else {
      const file = `${daemon.home}/settings.json`;
      writeFileSync(file, readFileSync(file, 'utf8').replace('"files":', '"other":'));
    }
    await using again = await startDaemon({ home: daemon.home });
    expect(() => opened(again)).toThrow('cannot be read');
  });

  it('MCP servers as JSON text from the environment or the command line are masked too', async () => {
    const text = JSON.stringify({ tracker });
    await using daemon = await startDaemon({ env: { SVC_TOOLS_MCP_SERVERS: text } });
    expect(opened(daemon)).toMatchObject({ tracker });
    expect(JSON.stringify(await daemon.client.config.list())).not.toContain(secret);
    await using other = await startDaemon();
    await set(other, text);
    expect(opened(other)).toMatchObject({ tracker });
    expect((await storedTexts(other)).join('')).not.toContain(secret);
  });

  it.each([
    [{ 'My Server': files }, 'My Server: The name of a server has lower-case letters'],
    [{ a: { command: '' } }, 'a.command: '],
    [{ a: { url: 'file:///etc/passwd' } }, 'a.url: Expected an HTTP URL'],
    [{ a: { ...files, url: 'https://a.example' } }, 'a: Unrecognized keys'],
    [{ a: { ...files, cwd: 'relative' } }, 'a.cwd: Expected an absolute path'],
    [{ a: { ...files, env: { TOKEN: secret.repeat(500) } } }, 'a.env.TOKEN: Expected a text'],
    [
      { a: { ...tracker, headers: { Authorization: `${secret}\n` } } },
      'a.headers.Authorization: Expected text',
    ],
    ['{"a":', 'Expected a JSON object of MCP servers by name'],
    [
      Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, files])),
      'At most 50 servers',
    ],
  ])('rejects the MCP servers %o with a reason and without secrets', async (value, message) => {
    await using daemon = await startDaemon();
    const refused = await set(daemon, value).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(`${key}: ${message}`) });
    expect(JSON.stringify(refused)).not.toContain(secret);
  });
});
