import type { Message, MessageSendConfiguration, Task } from 'a2a-sdk-0.3';
import {
  type Client,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from 'a2a-sdk-0.3/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { a2aFlags, callRaw, collect, legacyClient, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools } from '../../helpers/model-server.ts';
import { heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';

const flags = { ...a2aFlags, 'outbound.allowPrivate': ['127.0.0.0/8'] };
const quick = testAdapter(async ({ task }) => ({ output: `Done: ${task.prompt}` }));
const held = heldAdapter({ type: 'held' });
let daemon: TestDaemon;
let token: Awaited<ReturnType<typeof tokenOf>>;
let agent: Client;
beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [quick, held.adapter],
    flags: { ...flags, 'agents.default': 'test' },
  });
  token = await tokenOf(daemon);
  agent = await legacyClient(daemon, token);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const messageOf = (text: string, more: Partial<Message> = {}): Message => ({
  kind: 'message',
  messageId: crypto.randomUUID(),
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...more,
});
const sendTask = async (
  text: string,
  more?: Partial<Message>,
  configuration?: MessageSendConfiguration,
  client = agent,
) =>
  (await client.sendMessage({
    message: messageOf(text, more),
    ...(configuration && { configuration }),
  })) as Task;
const hold = (configuration: MessageSendConfiguration = {}) =>
  sendTask('Wait', { metadata: { skill: 'held' } }, { blocking: false, ...configuration });
/** A call without the header, or with that of version 0.3. */
const call = (method: string, params?: unknown, version = '') =>
  callRaw(daemon, { ...token.headers, 'a2a-version': version }, method, params);

describe('the agent card for version 0.3', () => {
  it('has what clients of 0.3 and of 1.0 look for, and only that of 1.0 for those that name it', async () => {
    const url = `${daemon.url}/.well-known/agent-card.json`;
    const response = await fetch(url);
    expect(response.headers.get('vary')).toContain('A2A-Version');
    expect(await response.json()).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${daemon.url}/a2a`,
      preferredTransport: 'JSONRPC',
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: {} } },
      security: [{ bearer: [] }],
      supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '0.3' }],
    });
    const current = (await (await fetch(url, { headers: { 'a2a-version': '1.0' } })).json()) as object;
    expect(current).not.toHaveProperty('url');
    expect(current).not.toHaveProperty('securitySchemes.bearer.type');
  });

  it('names the agents that its caller may use', async () => {
    const card = await agent.getAgentCard();
    expect(card).toMatchObject({ protocolVersion: '0.3.0', url: `${daemon.url}/a2a` });
    expect(card.skills.map(({ id }) => id)).toEqual(expect.arrayContaining(['task', 'test', 'held']));
  });
});

describe('an agent that speaks version 0.3', () => {
  it('sends a task and gets its answer', async () => {
    const task = await sendTask('Count the files');
    expect(task).toMatchObject({
      kind: 'task',
      contextId: expect.stringMatching(/^ctx_/),
      status: { state: 'completed', timestamp: expect.any(String) },
      artifacts: [{ artifactId: 'output', parts: [{ kind: 'text', text: 'Done: Count the files' }] }],
      history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'Count the files' }] }],
    });
    expect(await agent.getTask({ id: task.id })).toEqual(task);
    expect(await agent.getTask({ id: task.id, historyLength: 0 })).not.toHaveProperty('history');
    const { body } = await callRaw(daemon, token.headers, 'GetTask', { id: task.id });
    expect(body.result).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ role: 'ROLE_USER', parts: [{ text: 'Count the files' }] }],
    });
    expect(JSON.stringify(body)).not.toContain('kind');
  });

  it('sends data, and no files', async () => {
    const task = await sendTask('', { parts: [{ kind: 'data', data: { files: 3 } }] });
    expect(task.history).toMatchObject([{ parts: [{ kind: 'data', data: { files: 3 } }] }]);
    for (const file of [
      { bytes: 'dGNr', mimeType: 'image/png' },
      { uri: 'https://example.com/', name: 'a' },
    ]) {
      const { body } = await call('message/send', {
        message: messageOf('', { parts: [{ kind: 'file', file }] }),
      });
      expect(body.error).toMatchObject({ code: -32_005 });
    }
  });

  it('reads what was sent in version 1.0, whatever the data are', async () => {
    const sent = await callRaw(daemon, token.headers, 'SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: [1, 2] }, { text: 'x' }] },
    });
    const { id } = (sent.body.result as { task: { id: string } }).task;
    expect((await agent.getTask({ id })).history).toMatchObject([
      {
        parts: [
          { kind: 'data', data: { value: [1, 2] }, metadata: { data_part_compat: true } },
          { kind: 'text', text: 'x' },
        ],
      },
    ]);
  });

  it('need not wait, cancels, and gets the errors of its client', async () => {
    const { id, status } = await hold();
    expect(['submitted', 'working']).toContain(status.state);
    expect(await agent.cancelTask({ id })).toMatchObject({ kind: 'task', status: { state: 'canceled' } });
    await expect(agent.cancelTask({ id })).rejects.toBeInstanceOf(TaskNotCancelableError);
    await expect(agent.getTask({ id: 'none' })).rejects.toBeInstanceOf(TaskNotFoundError);
    await expect(sendTask('More', { taskId: id })).rejects.toBeInstanceOf(UnsupportedOperationError);
    expect((await call('tasks/resubscribe', { id })).body.error).toMatchObject({ code: -32_004 });
  });

  it('gets a stream that says which event is the last', async () => {
    const events = await collect(agent.sendMessageStream({ message: messageOf('Stream') }));
    expect(events[0]).toMatchObject({ kind: 'task', status: {} });
    expect(events.at(-2)).toMatchObject({
      kind: 'artifact-update',
      append: false,
      lastChunk: true,
      artifact: { parts: [{ kind: 'text', text: 'Done: Stream' }] },
    });
    expect(events.at(-1)).toMatchObject({
      kind: 'status-update',
      status: { state: 'completed' },
      final: true,
    });
    const before = events.slice(0, -1).filter(({ kind }) => kind === 'status-update');
    expect(before.every((event) => 'final' in event && !event.final)).toBe(true);
  });

  it('follows a task that runs', async () => {
    const { id } = await hold();
    const events = agent.resubscribeTask({ id });
    expect((await events.next()).value).toMatchObject({ kind: 'task', id });
    await daemon.client.tasks.cancel({ params: { id } });
    expect((await collect(events)).at(-1)).toMatchObject({
      status: { state: 'canceled' },
      final: true,
    });
  });

  it('keeps a context', async () => {
    const { contextId } = await sendTask('One');
    expect((await sendTask('Two', { contextId })).contextId).toBe(contextId);
  });

  it('is notified in its form', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    const config = {
      id: 'mine',
      url: `${server.url}/push`,
      token: 'token-of-the-agent',
      authentication: { schemes: ['Bearer', 'Basic'], credentials: 'secret-of-the-agent' },
    };
    const { id: taskId, contextId } = await hold({ pushNotificationConfig: config });
    const shown = { taskId, pushNotificationConfig: { id: 'mine', url: config.url } };
    expect(await agent.listTaskPushNotificationConfig({ id: taskId })).toEqual([shown]);
    expect(await agent.getTaskPushNotificationConfig({ id: taskId })).toEqual(shown);
    const other = { id: 'other', url: 'https://example.com/' };
    await agent.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: other });
    const named = { id: taskId, pushNotificationConfigId: 'other' };
    expect((await call('tasks/pushNotificationConfig/get', named)).body.result).toEqual({
      taskId,
      pushNotificationConfig: other,
    });
    await agent.deleteTaskPushNotificationConfig(named);
    expect(await agent.listTaskPushNotificationConfig({ id: taskId })).toEqual([shown]);
    await agent.cancelTask({ id: taskId });
    const [request] = await until(() => {
      expect(server.requests).toHaveLength(1);
      return server.requests;
    });
    const headers = request?.headers as Record<string, string>;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-a2a-notification-token': 'token-of-the-agent',
      authorization: 'Bearer secret-of-the-agent',
    });
    expect(new Webhook(token.notifySecret).verify(request?.body ?? '', headers)).toMatchObject({
      kind: 'task',
      id: taskId,
      contextId,
      status: { state: 'canceled' },
    });
  });

  it('waits for a person in the state auth-required, and is notified of it', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    const write = callsTools([[{ name: 'write_file', args: { path: 'a.txt', content: 'one' } }]], 'Written');
    await using rig = await startModelDaemon({ flags }, write);
    const client = await legacyClient(rig.daemon, await tokenOf(rig.daemon));
    const asked = await sendTask(
      'Write',
      { metadata: { skill: 'builtin' } },
      { pushNotificationConfig: { url: server.url } },
      client,
    );
    expect(asked.status).toMatchObject({
      state: 'auth-required',
      message: { kind: 'message', role: 'agent', parts: [{ kind: 'text' }] },
    });
    await until(() => expect(server.requests).toHaveLength(1));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      kind: 'task',
      id: asked.id,
      status: { state: 'auth-required' },
    });
  });

  it.each(['0.3', '0.3.0', ' 0.3 ', ''])('may name its version as %j', async (version) => {
    expect((await call('tasks/get', { id: 'none' }, version)).body.error).toMatchObject({ code: -32_001 });
  });

  it.each(['0.2', '0.30', '2.0', 'x', '0.3, 1.0'])('is refused where it names %j', async (version) => {
    expect((await call('tasks/get', { id: 'none' }, version)).body.error).toMatchObject({ code: -32_009 });
  });

  it('gets an error of its form for parameters that are not valid', async () => {
    const message = messageOf('x');
    const bad = [
      {},
      { message: { ...message, role: 'ROLE_USER' } },
      { message: { ...message, kind: 'task' } },
      { message: { ...message, parts: [{ text: 'x' }] } },
      { message: { ...message, parts: [{ kind: 'data', data: [1] }] } },
      { message, configuration: { blocking: 'no' } },
      { message, configuration: { pushNotificationConfig: { url: 'x' } } },
    ];
    for (const params of bad)
      expect((await call('message/send', params)).body.error, JSON.stringify(params)).toMatchObject({
        code: -32_602,
        data: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: expect.any(Array) }],
      });
  });
});
