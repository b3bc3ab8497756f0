import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonRpcMessage } from '../../../src/contract/mcp.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { bearerOf, contentOf, openMcp } from '../../helpers/mcp-clients.ts';
import { framing, modernMeta, postMcp, streamMcp } from '../../helpers/mcp-http.ts';
import { until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ flags: { 'limits.streamsPerUser': 1 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function start(prompt: string): Promise<string> {
  const body = { title: 'A task', prompt, assignedAgent: 'command' };
  return (await daemon.client.tasks.create({ body })).task.id;
}
/** A request of a client with the extension. */
const ask = (method: string, params: object, credential?: Record<string, string>) =>
  postMcp(
    daemon,
    { id: 1, method, params: { ...params, _meta: modernMeta } },
    { ...(credential && { credential }) },
  );

describe('a client with the tasks extension', () => {
  it('gets a handle in place of a wait, polls it, and gets the result', async () => {
    await using client = await openMcp(daemon);
    const seen: string[] = [];
    const session = createTaskSessionFromClient(client, {
      endpointId: 'svc',
      v2RequestFraming: framing,
      rawDispatch: async (request) => {
        const sent = request as unknown as JsonRpcMessage;
        seen.push(sent.method ?? '');
        const { message } = await postMcp(daemon, { ...sent, id: seen.length });
        if (message?.error) return { kind: 'error', error: message.error };
        return { kind: 'result', result: JSON.parse(JSON.stringify(message?.result)) as never };
      },
    });
    const id = await start('sleep 2; echo later');
    const execution = await session.callTool('wait_for_task', { id });
    const result = resultFromTaskOutcome((await execution.settle()).outcome) as { structuredContent: object };
    expect(result.structuredContent).toMatchObject({
      id,
      status: 'completed',
      result: { output: 'later\n' },
    });
    expect(seen[0]).toBe('tools/call');
    expect(seen).toContain('tasks/get');
    await session.close();
  });

  it('gets the result at once of a task that is finished', async () => {
    const id = await start('echo soon');
    await using client = await openMcp(daemon);
    await client.callTool({ name: 'wait_for_task', arguments: { id } });
    const { message } = await ask('tools/call', { name: 'wait_for_task', arguments: { id } });
    expect(message?.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { status: 'completed' },
    });
  });

  it('cancels the task of svc with the task of the protocol, once', async () => {
    const id = await start('sleep 600');
    const { message } = await ask('tools/call', { name: 'wait_for_task', arguments: { id } });
    expect(message?.result).toMatchObject({ resultType: 'task', taskId: id, status: 'working', ttlMs: null });
    for (const _ of [1, 2])
      expect((await ask('tasks/cancel', { taskId: id })).message?.result).toMatchObject({
        resultType: 'complete',
      });
    expect((await ask('tasks/get', { taskId: id })).message?.result).toMatchObject({ status: 'cancelled' });
    expect((await daemon.client.tasks.get({ params: { id } })).task.status).toBe('cancelled');
  });

  it('gets a task that failed as a result, because nothing of the protocol went wrong', async () => {
    const id = await start('exit 3');
    await using client = await openMcp(daemon);
    await client.callTool({ name: 'wait_for_task', arguments: { id } });
    expect((await ask('tasks/get', { taskId: id })).message?.result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'failed', error: { class: 'command_failed' } } },
    });
  });

  it('gets the tasks of no other user, and needs the scopes', async () => {
    const id = await start('sleep 600');
    const ann = await addUser(daemon, 'ann');
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await ask(method, { taskId: id }, ann.headers)).message?.error, method).toEqual({
        code: -32_602,
        message: 'Task not found',
      });
    const reader = await bearerOf(daemon, ['tasks:read']);
    expect((await ask('tasks/get', { taskId: id }, reader)).message?.result).toMatchObject({
      status: 'working',
    });
    expect((await ask('tasks/cancel', { taskId: id }, reader)).message?.error).toMatchObject({
      message: 'The API token needs the scope tasks:write',
    });
    const searcher = await bearerOf(daemon, ['memory:read']);
    expect((await ask('tasks/get', { taskId: id }, searcher)).message).toHaveProperty('error');
    await daemon.client.tasks.cancel({ params: { id } });
  });

  it('has to say in each request that it has the extension', async () => {
    const id = await start('echo x');
    const meta = { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': {} };
    const { message } = await postMcp(daemon, {
      id: 1,
      method: 'tasks/get',
      params: { taskId: id, _meta: meta },
    });
    expect(message?.error).toMatchObject({ code: -32_021 });
  });
});

describe('a client without it', () => {
  const wait = (id: string) => ({
    method: 'tools/call',
    params: { name: 'wait_for_task', arguments: { id, timeoutSeconds: 300 }, _meta: { progressToken: 1 } },
  });
  const initialize = async () => {
    const { headers } = await postMcp(daemon, {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: framing.clientInfo },
    });
    const session = headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('');
    return { more: { 'mcp-session-id': session } };
  };

  it('waits as long as the user may have streams open, and frees the place when it cancels', async () => {
    const id = await start('sleep 600');
    // Two clients of one user number their requests alike.
    const [one, other] = [await initialize(), await initialize()];
    const first = streamMcp(daemon, { id: 7, ...wait(id) }, { ...daemon.headers, ...one.more });
    await first.progress;
    const refused = await postMcp(daemon, { id: 8, ...wait(id) }, one);
    expect(refused.message?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Limit reached: 1 open streams') as string }],
    });
    const cancel = { method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await postMcp(daemon, cancel, other)).status).toBe(202);
    expect((await postMcp(daemon, { id: 9, ...wait(id) }, one)).message?.result).toMatchObject({
      isError: true,
    });
    expect((await postMcp(daemon, cancel, one)).status).toBe(202);
    expect(await first.ended).not.toContain('"id":7');
    // Of a task that waits for its first run, too, only the wait has ended.
    await until(async () => {
      const { task } = await daemon.client.tasks.get({ params: { id } });
      expect(task.status).toBe('in_progress');
    });
    const second = streamMcp(daemon, { id: 10, ...wait(id) }, { ...daemon.headers, ...one.more });
    await second.progress;
    await daemon.client.tasks.cancel({ params: { id } });
    expect(await second.ended).toContain('"id":10');
  });

  it('that listens for changes gets the answer at once that none will come, so that it holds no stream', async () => {
    const listen = {
      notifications: { resourcesListChanged: true, toolsListChanged: true },
      _meta: modernMeta,
    };
    const { message } = await postMcp(daemon, { id: 1, method: 'subscriptions/listen', params: listen });
    expect(message).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });

  it('loses its wait with its access', async () => {
    const bob = await addUser(daemon, 'bob');
    const { task } = await bob.client.tasks.create({ body: { title: 'Waits' } });
    const waiting = streamMcp(daemon, { id: 1, ...wait(task.id) }, bob.headers);
    await waiting.progress;
    await bob.client.auth.logout();
    expect(await waiting.ended).not.toContain('"id":1');
  });

  it('has its wait answered with the state when the daemon stops', async () => {
    await using other = await startDaemon();
    const client = await openMcp(other);
    const made = await client.callTool({ name: 'create_task', arguments: { prompt: 'x' } });
    const opened = Promise.withResolvers<void>();
    const waiting = client.callTool(
      { name: 'wait_for_task', arguments: { id: contentOf(made)['id'], timeoutSeconds: 300 } },
      { onprogress: () => opened.resolve() },
    );
    await opened.promise;
    const stopped = other.stop();
    expect(contentOf(await waiting)).toMatchObject({ finished: false });
    await client.close();
    await stopped;
  });
});
