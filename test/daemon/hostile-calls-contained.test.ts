import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { deepCall, hugeCalls } from '../helpers/hostile/odd-calls.ts';
import {
  agenticMessage,
  runHostile,
  type RunPath,
  streamedMessage,
  taskOf,
  wholeMessage,
} from '../helpers/hostile/runs.ts';
import type { HostileCall } from '../helpers/hostile/scene.ts';
import { type McpRecorder, startMcpRecorder } from '../helpers/mcp-recorder.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer } from '../helpers/model-server.ts';
import { until } from '../helpers/tasks.ts';
import { everyNth, sized } from '../helpers/long.ts';

let daemon: TestDaemon;
let model: ModelServer;
let records: McpRecorder;
const setSetting = (key: string, value: unknown) =>
  daemon.client.config.update({ params: { key }, body: { value: value as never } });
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
  records = await startMcpRecorder(daemon);
});
beforeEach(async () => {
  await daemon.client.policy.update({
    body: { allowedTools: ['read_file'], requireApprovalFor: [], blockedTools: [] },
  });
  await setSetting('tools.callsPerMinute', 100_000);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await records[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const call = (name: string, args: unknown): HostileCall => ({ name, args, ends: 'contained' });
const fetches = (urls: readonly string[]) => urls.map((url) => call('web_fetch', { url }));
const allPaths: [string, RunPath][] = [
  ['a message', wholeMessage],
  ['a streamed message', streamedMessage],
  ['an agentic message', agenticMessage],
  ['a task', taskOf(true)],
];

/** A server on every address of this machine that sends each request where its path says. */
async function startRedirector() {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const to = decodeURIComponent(url.slice(1));
    response.writeHead(to === '' ? 200 : 302, { 'content-type': 'text/plain', location: to }).end('a page');
  }).listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

describe('requests of tools to this machine', () => {
  it('web_fetch cannot reach the daemon itself under any name or redirect', async () => {
    await using redirector = await startRedirector();
    await setSetting('outbound.allowPrivate', [
      '127.0.0.0/8',
      '::1/128',
      '0.0.0.0/8',
      '::/128',
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
    ]);
    const { port } = new URL(daemon.url);
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const hosts = [
      '127.0.0.1',
      'localhost',
      'localhost.',
      '127.0.0.2',
      '127.1',
      '0x7f000001',
      '0',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '127.0.0.1.',
      ...addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
    ];
    const own = hosts.map((host) => `http://${host}:${port}/api/health`);
    const near = `http://127.0.0.1:${redirector.port}`;
    const redirected = own.map((url) => `${near}/${encodeURIComponent(url)}`);
    try {
      const run = await runHostile({ daemon, model }, agenticMessage, 'full', () => [
        ...fetches([...own, ...redirected]),
        ...fetches([`${near}/`, `http://localhost:${redirector.port}/`]),
      ]);
      const results = [...run.results.values()];
      expect(results.slice(0, -2).map(({ success }) => success)).not.toContain(true);
      for (const { content } of results.slice(0, -2)) expect(content).not.toContain('uptime');
      // What an administrator allowed is not refused with it.
      expect(results.slice(-2).map(({ success }) => success)).toEqual([true, true]);
      expect(redirector.asked.length).toBeGreaterThan(redirected.length);
      const { endpoints } = daemon.app.metrics.requests.read();
      expect(endpoints.filter(({ route }) => route.includes('health'))).toEqual([]);
    } finally {
      await setSetting('outbound.allowPrivate', []);
    }
  });

  it('web_fetch does not follow a redirect to another private address', async () => {
    await using redirector = await startRedirector();
    await setSetting('outbound.allowPrivate', ['127.0.0.1/32']);
    const targets = [
      'http://127.0.0.2:1/',
      'http://169.254.169.254/',
      'http://[::1]:1/',
      'http://10.0.0.1/',
      'file:///etc/passwd',
      'http://user@127.0.0.1/',
      'ftp://127.0.0.1/',
      'gopher://127.0.0.1/',
    ];
    try {
      const run = await runHostile({ daemon, model }, wholeMessage, 'full', () =>
        fetches(targets.map((to) => `http://127.0.0.1:${redirector.port}/${encodeURIComponent(to)}`)),
      );
      const results = [...run.results.values()];
      expect(results).toHaveLength(targets.length);
      for (const { success, content } of results) {
        expect(success).toBe(false);
        expect(content).toContain('not allowed');
      }
    } finally {
      await setSetting('outbound.allowPrivate', []);
    }
  });
});

describe('a task created by a task', () => {
  const input = {
    title: 'Child',
    prompt: 'Go on',
    // Nothing of it is asked for, and nothing of it is given.
    assignedAgent: 'command',
    securityMode: 'full',
    cwd: '/',
    is_trusted: 1,
    may_command: 1,
    metadata: { depth: -5 },
    source: 'import',
  };
  const children = () =>
    daemon.app.database.read
      .selectFrom('tasks')
      .selectAll()
      .where('title', '=', 'Child')
      .orderBy('seq')
      .execute();

  it.each([
    ['a message', wholeMessage, 'ask', { security_mode: 'ask', is_trusted: 1 }],
    ['an agentic message', agenticMessage, 'full', { security_mode: 'ask', is_trusted: 1 }],
    ['a task', taskOf(true), 'allowlist', { security_mode: 'allowlist', is_trusted: 1 }],
    ['a task', taskOf(true), 'full', { security_mode: 'ask', is_trusted: 1 }],
    ['a task of an untrusted user', taskOf(false), 'full', { security_mode: 'allowlist', is_trusted: 0 }],
  ] as const)(
    'a task that is created by %s has no more rights than its creator: %#',
    async (_, path, mode, expected) => {
      await daemon.client.policy.update({ body: { allowedTools: ['task_create'] } });
      const before = await children();
      const run = await runHostile({ daemon, model }, path, mode, () => [call('task_create', input)]);
      expect([...run.results.values()]).toMatchObject([{ success: true }]);
      const made = (await children()).slice(before.length);
      expect(made).toMatchObject([
        {
          ...expected,
          assigned_agent: 'builtin',
          cwd: null,
          may_command: 0,
          owner_id: 'user_owner',
          source: 'api',
        },
      ]);
    },
  );

  /** Resolves once no task is open; those of one test would follow the script of the next. */
  const settled = () =>
    until(async () => {
      const open = await daemon.app.database.read
        .selectFrom('tasks')
        .select('id')
        .where('status', 'not in', ['completed', 'failed', 'cancelled'])
        .execute();
      expect(open).toEqual([]);
    });

  it('a created task creates tasks at most three levels deep', async () => {
    await daemon.client.policy.update({ body: { allowedTools: ['task_create'] } });
    await settled();
    const before = (await children()).length;
    model.script = callsTools([
      [{ name: 'task_create', args: { title: 'Child', prompt: 'Create another' } }],
    ]);
    const { task } = await daemon.client.tasks.create({
      body: { title: 'First', prompt: 'Create another', assignedAgent: 'builtin', securityMode: 'full' },
    });
    await settled();
    expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('completed');
    expect((await children()).length - before).toBe(3);
    const { entries } = await daemon.client.audit.list({ query: { tool: 'task_create', limit: 1 } });
    expect(entries[0]?.result).toContain('may not go deeper than 3');
  });
});

describe('tool calls over a limit', () => {
  /** More than the highest limit. */
  const CALLS = sized(60, 200);
  /** Another limit each time: only a new limit starts its count at zero. */
  let limit = 30;
  it.each(allPaths)('rejects tool calls over the limit per minute in %s', async (_, path) => {
    limit += 1 + Math.floor(Math.random() * 5);
    await setSetting('tools.callsPerMinute', limit);
    const run = await runHostile({ daemon, model }, path, 'full', (workspace) => {
      writeFileSync(join(workspace, 'notes.txt'), 'The door is blue.');
      return Array.from({ length: CALLS }, (_, offset) =>
        call('read_file', { path: 'notes.txt', limit: offset + 1 }),
      );
    });
    const results = [...run.results.values()];
    expect(results.map(({ success }) => success)).toEqual(
      Array.from({ length: CALLS }, (_, at) => at < limit),
    );
    const [refused] = run.audited.get(run.calls.at(-1)?.id ?? '') ?? [];
    expect(refused?.result).toContain('(guard rate-limit)');
  });

  it.each(everyNth(4, allPaths))('rejects tool calls that are too large in %s', async (_, path) => {
    const run = await runHostile({ daemon, model }, path, 'full', hugeCalls);
    expect([...run.results.values()].map(({ success }) => success)).not.toContain(true);
    expect([...run.audited.values()].map(([row]) => row?.result.split(':')[0])).toEqual(
      run.calls.map(() => 'refused'),
    );
    expect(records.calls).toEqual([]);
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('a message stops at a tool call that is nested too deeply to be parsed', async () => {
    await expect(runHostile({ daemon, model }, wholeMessage, 'full', () => [deepCall()])).rejects.toThrow(
      'call stack',
    );
    expect(records.calls).toEqual([]);
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('a task skips a tool call that is nested too deeply, and calls the model again', async () => {
    const run = await runHostile({ daemon, model }, taskOf(true), 'full', () => [deepCall()]);
    expect(run.results.size).toBe(0);
    expect(records.calls).toEqual([]);
  });
});

describe.skipIf(!hasSandbox.isWorking)('allowed tool calls (needs bubblewrap)', () => {
  const harmless = (workspace: string): HostileCall[] => {
    writeFileSync(join(workspace, 'notes.txt'), 'The door is blue.\n');
    mkdirSync(join(workspace, '.git/objects'), { recursive: true });
    mkdirSync(join(workspace, '.git/refs'));
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(workspace, 'tiny'));
    const command = (text: string, cwd = '.') => call('run_command', { command: text, cwd });
    return [
      call('read_file', { path: 'notes.txt' }),
      call('read_file', { path: './notes.txt', limit: 1 }),
      call('list_directory', {}),
      call('list_directory', { path: '.' }),
      call('search_files', { pattern: '**/*.txt' }),
      call('grep', { pattern: 'd..r', ignoreCase: true }),
      call('write_file', {
        path: 'tiny/package.json',
        content: '{"name":"tiny","version":"1.0.0","scripts":{"test":"node test.js"}}',
      }),
      call('write_file', { path: 'tiny/test.js', content: "console.log('tested ' + (6 * 7));" }),
      call('write_file', { path: 'tiny/..hidden/...', content: 'dots' }),
      call('edit_file', { path: 'notes.txt', oldText: 'blue', newText: 'red; $(not) `run` ../x' }),
      command('ls'),
      command('ls -la tiny'),
      command('cat notes.txt'),
      command("grep -n 'red|blue' notes.txt tiny/test.js"),
      command('git status'),
      command('git status --short --branch'),
      command('node --version'),
      command('npm test', 'tiny'),
      command('echo "two words"'),
      call('mcp__records__echo', { text: 'either/or; a|b & c > d, see https://example.com/a..b' }),
      call('mcp__records__echo', { path: 'tiny/package.json', text: 'hi' }),
      call('task_create', { title: 'Later', prompt: 'Look at ../x; it is $HOME' }),
    ];
  };

  it.each(
    everyNth(2, [
      ...allPaths.map(([name, path]) => [name, path, 'full'] as const),
      ['a message with a person', wholeMessage, 'ask'] as const,
      ['a task with a person', taskOf(true), 'ask'] as const,
    ]),
  )('allowed tool calls run in %s', async (_, path, mode) => {
    let folder = '';
    records.calls.length = 0;
    const run = await runHostile({ daemon, model }, path, mode, (workspace) =>
      harmless((folder = workspace)),
    );
    const failed = run.calls.filter(({ id }) => run.results.get(id)?.success !== true);
    expect(
      failed.map(({ id, args }) => [args, run.results.get(id)]),
      run.told.slice(0, 5000),
    ).toEqual([]);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('The door is red; $(not) `run` ../x.\n');
    expect(run.told).toContain('tested 42');
    expect(run.told).toContain('No commits yet');
    expect(run.told).toContain(process.version);
    expect(records.calls).toHaveLength(2);
    records.calls.length = 0;
  });
});
