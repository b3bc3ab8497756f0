import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { bearerOf } from '../../../helpers/mcp-clients.ts';
import { memoryFolder } from '../../../helpers/memory-folder.ts';
import { svcMcp } from '../../../helpers/svc-mcp.ts';
import { ensureBuilt, root } from '../../svc-binary.ts';

const inspector = join(root, 'node_modules/.bin/mcp-inspector');

let daemon: TestDaemon;
let token: string;
let home: string;
beforeAll(async () => {
  ensureBuilt();
  daemon = await startDaemon();
  home = memoryFolder();
  const { authorization } = await bearerOf(daemon, ['tasks:write', 'agents:command']);
  token = authorization.replace('Bearer ', '');
}, 180_000);
afterAll(() => daemon[Symbol.asyncDispose]());

/** The targets of the inspector: a program that it starts, and an address. */
const targets = {
  'svc mcp': () => [
    '-e',
    `SVC_URL=${daemon.url}`,
    '-e',
    `SVC_TOKEN=${token}`,
    '-e',
    `SVC_HOME=${home}`,
    svcMcp.command,
    ...svcMcp.args.slice(1),
  ],
  '/mcp': () => [`${daemon.url}/mcp`, '--header', `Authorization: Bearer ${token}`],
};

describe.each(Object.entries(targets))('the MCP inspector at %s', (_, target) => {
  const inspect = async (method: string, ...more: string[]) => {
    const { stdout, stderr, exitCode } = await execa(
      process.execPath,
      [inspector, '--cli', ...target(), '--method', method, ...more],
      { env: { HOME: home, PATH: process.env['PATH'] ?? '' }, extendEnv: false, reject: false },
    );
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('lists tools whose schemas no client stumbles over', async () => {
    const { tools } = await inspect('tools/list', '--strict');
    expect((tools as { name: string }[]).map(({ name }) => name)).toContain('wait_for_task');
  });

  it('creates a task and waits for it', async () => {
    const args = ['--tool-arg', 'prompt=echo inspected', '--tool-arg', 'assignedAgent=command'];
    const made = await inspect('tools/call', '--tool-name', 'create_task', ...args);
    const { id } = made['structuredContent'] as { id: string };
    const waited = await inspect('tools/call', '--tool-name', 'wait_for_task', '--tool-arg', `id=${id}`);
    expect(waited['structuredContent']).toMatchObject({
      status: 'completed',
      result: { output: 'inspected\n' },
    });
    const read = await inspect('resources/read', '--uri', `svc://tasks/${id}/output`);
    expect(read['contents']).toMatchObject([{ text: 'inspected\n' }]);
    const { resourceTemplates } = await inspect('resources/templates/list');
    expect(resourceTemplates).toHaveLength(2);
  });
});

it('the inspector is the one that is pinned', () => {
  const { stdout } = spawnSync(process.execPath, [inspector, '--cli', '--version'], { encoding: 'utf8' });
  expect(stdout.trim()).toBe('2.12.0');
});
