import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/contract/scopes.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { bearerOf, contentOf, eras, openMcp, textOf } from '../../helpers/mcp-clients.ts';
import { newApproval } from '../../helpers/approvals.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });
const create = async (client: Client, prompt: string, more: Record<string, unknown> = {}) =>
  contentOf(await call(client, 'create_task', { prompt, assignedAgent: 'command', ...more }));

describe.each(eras)('a client of the official SDK (%s)', (era) => {
  it('gets what svc is for, and every tool with a schema and hints', async () => {
    await using client = await openMcp(daemon, { era });
    expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
    expect(client.getInstructions()).toContain('create_task');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'create_task',
      'wait_for_task',
      'get_task',
      'list_tasks',
      'cancel_task',
      'list_approvals',
      'decide_approval',
      'search_memory',
    ]);
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
      expect(annotations?.readOnlyHint).toBeTypeOf('boolean');
      expect(annotations?.destructiveHint).toBeTypeOf('boolean');
    }
    // All of it stands in the context of a model.
    const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(shown).length).toBeLessThan(8000);
  });

  it('creates a task, waits for it with progress, and gets what it printed', async () => {
    await using client = await openMcp(daemon, { era });
    const { id, status } = await create(client, 'echo It works; echo done');
    expect(status).toBe('pending');
    const progress: string[] = [];
    const waited = await client.callTool(
      { name: 'wait_for_task', arguments: { id } },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    );
    expect(contentOf(waited)).toMatchObject({
      id,
      status: 'completed',
      finished: true,
      result: { success: true, output: 'It works\ndone\n' },
    });
    expect(textOf(waited)).toContain('It works');
    expect(contentOf(await call(client, 'get_task', { id }))).toMatchObject({ status: 'completed' });
    const { contents } = await client.readResource({ uri: `svc://tasks/${String(id)}/output` });
    expect(contents).toMatchObject([{ mimeType: 'text/plain', text: 'It works\ndone\n' }]);
  });

  it('gets the state of a task that takes longer than the wait, and can cancel it', async () => {
    await using client = await openMcp(daemon, { era });
    const { id } = await create(client, 'sleep 600');
    const progress: string[] = [];
    const waited = await client.callTool(
      { name: 'wait_for_task', arguments: { id, timeoutSeconds: 1 } },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    );
    expect(waited.isError).not.toBe(true);
    expect(contentOf(waited)).toMatchObject({ id, finished: false });
    expect(progress.length).toBeGreaterThan(0);
    expect(contentOf(await call(client, 'cancel_task', { id }))).toMatchObject({ status: 'cancelled' });
    const again = await call(client, 'cancel_task', { id });
    expect(again).toMatchObject({ isError: true });
    expect(textOf(again)).toContain('A task that is cancelled cannot be cancelled');
  });

  it('lists tasks, a page at a time', async () => {
    await using client = await openMcp(daemon, { era });
    const label = `of-${era}`;
    const ids: unknown[] = [];
    for (const n of [1, 2, 3]) ids.unshift((await create(client, `echo ${n}`, { labels: [label] }))['id']);
    const first = contentOf(await call(client, 'list_tasks', { labels: [label], limit: 2 }));
    expect((first['tasks'] as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const { nextCursor: cursor } = first;
    const rest = contentOf(await call(client, 'list_tasks', { labels: [label], limit: 2, cursor }));
    expect((rest['tasks'] as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(rest['nextCursor']).toBeUndefined();
  });

  it('gets the same task for the same idempotency key', async () => {
    await using client = await openMcp(daemon, { era });
    const args = { idempotencyKey: `key-${era}` };
    const { id } = await create(client, 'echo once', args);
    expect(await create(client, 'echo once', args)).toMatchObject({ id });
  });

  it('gets what is wrong with its arguments, as a result that its model can correct', async () => {
    await using client = await openMcp(daemon, { era });
    const wrong = await call(client, 'create_task', { prompt: '', priority: 9, prio: 1 });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toMatch(/prompt: .*\n- priority: /);
    expect(textOf(wrong)).toContain('prio');
    expect(textOf(await call(client, 'get_task', { id: 'task_nothing' }))).toBe('Task not found');
    await expect(call(client, 'no_such_tool')).rejects.toThrow('There is no such tool');
  });

  it('lists the resources of recent tasks, and completes their ids', async () => {
    await using client = await openMcp(daemon, { era });
    const { id } = await create(client, 'echo for the list');
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ uri: `svc://tasks/${String(id)}/output`, mimeType: 'text/plain' });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'svc://tasks/{id}/output',
      'svc://tasks/{id}/diff',
    ]);
    const ref = { type: 'ref/resource' as const, uri: 'svc://tasks/{id}/output' };
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: String(id) } });
    expect(completion.values).toEqual([id]);
    await expect(client.readResource({ uri: 'svc://tasks/task_none/output' })).rejects.toThrow('not found');
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('not found');
  });
});

describe('the scopes of an API token', () => {
  const offered: [Scope[], string[]][] = [
    [['tasks:read'], ['wait_for_task', 'get_task', 'list_tasks']],
    [['tasks:write'], ['create_task', 'wait_for_task', 'get_task', 'list_tasks', 'cancel_task']],
    [['memory:read'], ['search_memory']],
  ];
  it.each(offered)('%j decide which tools are listed, and no other may be called', async (scopes, names) => {
    await using client = await openMcp(daemon, { credential: await bearerOf(daemon, scopes) });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    await using owner = await openMcp(daemon);
    for (const { name } of (await owner.listTools()).tools) {
      if (names.includes(name)) continue;
      const refused = await call(client, name, { id: 'x', prompt: 'x', query: 'x' });
      expect(refused.isError, name).toBe(true);
      expect(textOf(refused)).toMatch(/The API token needs the scope|not an API token/);
    }
  });

  it('without those of tasks shows no resources', async () => {
    await using owner = await openMcp(daemon);
    const { id } = await create(owner, 'echo secret');
    await using client = await openMcp(daemon, { credential: await bearerOf(daemon, ['memory:read']) });
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    await expect(client.readResource({ uri: `svc://tasks/${String(id)}/output` })).rejects.toThrow(
      'not found',
    );
  });

  it('that do not include agents:command keep a task from running a command', async () => {
    await using client = await openMcp(daemon, { credential: await bearerOf(daemon, ['tasks:write']) });
    const refused = await call(client, 'create_task', { prompt: 'echo no', assignedAgent: 'command' });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('agents:command');
    const credential = await bearerOf(daemon, ['tasks:write', 'agents:command']);
    await using allowed = await openMcp(daemon, { credential });
    expect(await create(allowed, 'echo yes')).toMatchObject({ status: 'pending' });
  });

  it('are needed at all', async () => {
    const credential = await bearerOf(daemon, ['gateway:write']);
    await expect(openMcp(daemon, { credential })).rejects.toThrow(/403|scope/);
    await expect(openMcp(daemon, { credential: {} })).rejects.toThrow(/401|[Uu]nauthorized|Not signed in/);
  });
});

describe('tasks of other users', () => {
  it('do not exist for a user, neither as tools nor as resources', async () => {
    await using owner = await openMcp(daemon);
    const { id } = await create(owner, 'sleep 600');
    const ann = await addUser(daemon, 'ann');
    await using client = await openMcp(daemon, { credential: ann.headers });
    for (const name of ['get_task', 'wait_for_task', 'cancel_task'])
      expect(textOf(await call(client, name, { id })), name).toBe('Task not found');
    expect(contentOf(await call(client, 'list_tasks'))).toEqual({ tasks: [], total: 0 });
    await expect(client.readResource({ uri: `svc://tasks/${String(id)}/output` })).rejects.toThrow(
      'not found',
    );
    expect((await client.listResources()).resources).toEqual([]);
    await call(owner, 'cancel_task', { id });
  });
});

describe('approvals', () => {
  it('are listed for a person, and denied; a model alone allows none', async () => {
    const { approvals } = daemon.app;
    const { id } = await approvals.request(newApproval({ arguments: '{"argv":["make"]}' }));
    await using client = await openMcp(daemon);
    const listed = contentOf(await call(client, 'list_approvals'))['approvals'] as { call: string }[];
    expect(listed).toMatchObject([{ id, toolName: 'run_command', call: 'run_command {"argv":["make"]}' }]);
    const other = await call(client, 'decide_approval', { id, call: 'run_command', decision: 'allow-once' });
    expect(other.isError).toBe(true);
    expect((await approvals.get({ userId: 'user_owner', role: 'admin' }, id)).status).toBe('pending');
    const alone = await call(client, 'decide_approval', {
      id,
      call: listed[0]?.call,
      decision: 'allow-once',
    });
    expect(alone.isError).toBe(true);
    expect(textOf(alone)).toContain(`svc approvals allow ${id}`);
    expect((await approvals.get({ userId: 'user_owner', role: 'admin' }, id)).status).toBe('pending');
    const args = { id, call: listed[0]?.call, decision: 'deny', denialReason: 'Not now' };
    const decided = contentOf(await call(client, 'decide_approval', args));
    expect(decided['approval']).toMatchObject({ id, status: 'denied' });
    const row = await approvals.get({ userId: 'user_owner', role: 'admin' }, id);
    expect(row).toMatchObject({ status: 'denied', denialReason: 'Not now', decidedBy: 'user_owner' });
  });
});

describe('a client that can ask its user', () => {
  const answers = { action: 'accept', content: { allow: true } } as {
    action: 'accept' | 'decline';
    content?: { allow: boolean };
  };
  const decide = async (binding: string) => {
    const { approvals } = daemon.app;
    const { id } = await approvals.request(newApproval({ arguments: '{"argv":["make"]}', binding }));
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    );
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return answers;
    });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', daemon.url), {
        requestInit: { headers: daemon.headers },
      }),
    );
    const args = { id, call: 'run_command {"argv":["make"]}', decision: 'allow-once' };
    const result = await call(client, 'decide_approval', args);
    await client.close();
    const { status } = await approvals.get({ userId: 'user_owner', role: 'admin' }, id);
    return { asked, result, status };
  };

  it('shows the whole call before it is allowed', async () => {
    const { asked, result, status } = await decide('yes');
    expect(asked).toEqual([expect.stringMatching(/once\?.*\n\nrun_command in \/\n\n\{[^]*"make"/)]);
    expect(contentOf(result)['approval']).toMatchObject({ status: 'approved', decision: 'allow-once' });
    expect(status).toBe('approved');
  });

  it.each([{ action: 'decline' as const }, { action: 'accept' as const, content: { allow: false } }])(
    'allows nothing where the user answers %j',
    async (answer) => {
      Object.assign(answers, { content: undefined }, answer);
      const { asked, result, status } = await decide(JSON.stringify(answer));
      expect(asked).toHaveLength(1);
      expect(result).toMatchObject({ isError: true });
      expect(status).toBe('pending');
    },
  );
});

describe('the memory', () => {
  it('is searched with the scope memory:read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-notes-'));
    writeFileSync(join(folder, 'otters.md'), '# Otters\n\nOtters hold hands while they sleep.\n');
    await daemon.client.memory.sync({ body: { basePath: folder } });
    await using client = await openMcp(daemon, { credential: await bearerOf(daemon, ['memory:read']) });
    const found = await call(client, 'search_memory', { query: 'otters' });
    expect(contentOf(found)).toMatchObject({ chunks: [{ path: join(folder, 'otters.md') }] });
    expect(textOf(found)).toContain('Otters hold hands');
    rmSync(folder, { recursive: true });
  });
});

describe('the changes of a task', () => {
  it('are a resource, where it worked in a worktree', async () => {
    const repository = join(daemon.home, 'repository');
    mkdirSync(repository);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
        cwd: repository,
      });
    git('init', '-q');
    writeFileSync(join(repository, 'a.txt'), 'one\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    await using client = await openMcp(daemon);
    const { id } = await create(client, 'echo two > a.txt', { cwd: repository, worktree: true });
    const state = contentOf(await call(client, 'wait_for_task', { id }));
    expect(state).toMatchObject({ status: 'completed', diffUri: `svc://tasks/${String(id)}/diff` });
    const { contents } = await client.readResource({ uri: String(state['diffUri']) });
    expect(contents).toMatchObject([{ mimeType: 'text/x-diff' }]);
    expect((contents[0] as { text: string }).text).toContain('-one\n+two\n');
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(state['diffUri']);
  });
});
