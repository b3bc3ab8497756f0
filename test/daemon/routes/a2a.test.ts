import { TaskState, type Task } from '@a2a-js/sdk';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { a2aClient, a2aFlags, callRaw, collect, messageOf, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools } from '../../helpers/model-server.ts';
import { failingAdapter, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';

const quick = testAdapter(async ({ task }) => ({ output: `Done: ${task.prompt}` }));
const held = heldAdapter({ type: 'held' });
const failing = { ...failingAdapter('auth', 'Wrong key'), type: 'failing' };
let daemon: TestDaemon;
let token: Awaited<ReturnType<typeof tokenOf>>;
let agent: Awaited<ReturnType<typeof a2aClient>>;
beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [quick, held.adapter, failing],
    flags: { ...a2aFlags, 'agents.default': 'test', 'outbound.allowPrivate': ['127.0.0.0/8'] },
  });
  token = await tokenOf(daemon);
  agent = await a2aClient(daemon, token);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const sendTask = async (...message: Parameters<typeof messageOf>) =>
  (await agent.sendMessage(messageOf(...message))) as Task;
const states = (updates: { payload?: { $case: string; value: unknown } | undefined }[]) =>
  updates.flatMap(({ payload }) =>
    payload?.$case === 'statusUpdate'
      ? [(payload.value as { status: { state: TaskState } }).status.state]
      : [],
  );

describe('the agent card', () => {
  it('is public, can be cached, and names no agent and no secret', async () => {
    const response = await fetch(`${daemon.url}/.well-known/agent-card.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(response.headers.get('etag')).toMatch(/^"[\w-]+"$/);
    const card = (await response.json()) as Record<string, unknown>;
    expect(card).toMatchObject({
      name: 'svc',
      supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
        url: `${daemon.url}/a2a`,
        protocolBinding: 'JSONRPC',
        protocolVersion,
      })),
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      skills: [{ id: 'task' }],
    });
    expect(JSON.stringify(card)).not.toContain('held');
  });

  it('names the agents that its caller may use', async () => {
    const card = await agent.getAgentCard();
    expect(card.skills.map(({ id }) => id)).toEqual(expect.arrayContaining(['task', 'test', 'held']));
    expect(card.skills.map(({ id }) => id)).not.toContain('command');
    const shell = await a2aClient(daemon, await tokenOf(daemon, ['tasks:write', 'agents:command']));
    expect((await shell.getAgentCard()).skills.map(({ id }) => id)).toContain('command');
  });

  it('is not there unless it is turned on', async () => {
    await using off = await startDaemon();
    const { headers } = await tokenOf(off);
    expect((await fetch(`${off.url}/.well-known/agent-card.json`)).status).toBe(404);
    expect((await callRaw(off, headers, 'GetExtendedAgentCard')).status).toBe(404);
  });
});

describe('a task of another agent', () => {
  it('is a task of svc, and its answer is an artifact', async () => {
    const task = await sendTask('Count the files');
    expect(task).toMatchObject({
      status: { state: TaskState.TASK_STATE_COMPLETED },
      contextId: expect.stringMatching(/^ctx_/),
      artifacts: [{ artifactId: 'output', parts: [{ content: { value: 'Done: Count the files' } }] }],
      history: [{ parts: [{ content: { value: 'Count the files' } }] }],
    });
    const { task: stored } = await daemon.client.tasks.get({ params: { id: task.id } });
    expect(stored).toMatchObject({ title: 'Count the files', status: 'completed' });
    expect(await agent.getTask({ tenant: '', id: task.id })).toEqual(task);
  });

  it('is answered at once where the agent does not want to wait, and can be cancelled', async () => {
    const task = await sendTask('Wait', { metadata: { skill: 'held' }, returnImmediately: true });
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(task.status?.state);
    const cancelled = await agent.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(agent.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    });
  });

  it('says why it failed', async () => {
    const task = await sendTask('Fail', { metadata: { skill: 'failing' } });
    expect(task.status).toMatchObject({
      state: TaskState.TASK_STATE_FAILED,
      message: { parts: [{ content: { value: 'Wrong key' } }] },
    });
  });

  it('is streamed from the task to its end', async () => {
    const updates = await collect(agent.sendMessageStream(messageOf('Stream')));
    expect(updates[0]?.payload).toMatchObject({ $case: 'task', value: { status: {} } });
    expect(updates.at(-2)?.payload).toMatchObject({
      $case: 'artifactUpdate',
      value: {
        append: false,
        lastChunk: true,
        artifact: { parts: [{ content: { value: 'Done: Stream' } }] },
      },
    });
    expect(states(updates).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('can be followed by several at once, who get the same in the same order', async () => {
    const { id } = await sendTask('Follow', { metadata: { skill: 'held' }, returnImmediately: true });
    await held.startedFor(id);
    const opened = async () => {
      const updates = agent.resubscribeTask({ tenant: '', id });
      expect((await updates.next()).value).toMatchObject({ payload: { $case: 'task', value: { id } } });
      return updates;
    };
    const [first, second, third] = await Promise.all([opened(), opened(), opened()]);
    await third.return();
    const both = Promise.all([collect(first), collect(second)]);
    await daemon.client.tasks.cancel({ params: { id } });
    const [one, other] = await both;
    expect(states(one).at(-1)).toBe(TaskState.TASK_STATE_CANCELED);
    expect(states(other)).toEqual(states(one));
    await expect(agent.resubscribeTask({ tenant: '', id }).next()).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
  });

  it('keeps the context that the agent gives it, and is listed by it, page by page', async () => {
    const contextId = crypto.randomUUID();
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) ids.unshift((await sendTask(text, { contextId })).id);
    const list = (pageToken: string, pageSize = 2) =>
      agent.listTasks({
        tenant: '',
        contextId,
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize,
        pageToken,
        statusTimestampAfter: undefined,
      });
    const page = await list('');
    expect(page).toMatchObject({ totalSize: 3, pageSize: 2 });
    expect(page.tasks.flatMap(({ artifacts }) => artifacts)).toEqual([]);
    const rest = await list(page.nextPageToken);
    expect(rest.nextPageToken).toBe('');
    expect([...page.tasks, ...rest.tasks].map(({ id }) => id)).toEqual(ids);
    await expect(list('made-up')).rejects.toThrow();
  });
});

it('waits for a person in the state auth-required, and continues after the decision', async () => {
  const write = callsTools([[{ name: 'write_file', args: { path: 'a.txt', content: 'one' } }]], 'Written');
  await using rig = await startModelDaemon({ flags: a2aFlags }, write);
  const client = await a2aClient(rig.daemon, await tokenOf(rig.daemon));
  const asked = (await client.sendMessage(messageOf('Write', { metadata: { skill: 'builtin' } }))) as Task;
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
  const waiting = await client.listTasks({
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_AUTH_REQUIRED,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect(waiting.tasks.map(({ id }) => id)).toEqual([asked.id]);
  const updates = client.resubscribeTask({ tenant: '', id: asked.id });
  await updates.next();
  const [approval] = (await rig.daemon.client.approvals.list()).approvals;
  await rig.daemon.client.approvals.decide({
    params: { id: approval?.id ?? '' },
    body: { decision: 'allow-once' },
  });
  const rest = await collect(updates);
  expect(states(rest)).toEqual([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_COMPLETED]);
  const { artifacts } = await client.getTask({ tenant: '', id: asked.id });
  expect(artifacts).toMatchObject([
    { artifactId: 'output', parts: [{ content: { value: 'Written' } }] },
    {
      artifactId: 'changes',
      parts: [{ content: { value: expect.stringContaining('+one') }, mediaType: 'text/x-diff' }],
    },
  ]);
  const chunks = rest.flatMap(({ payload }) => (payload?.$case === 'artifactUpdate' ? [payload.value] : []));
  expect(chunks.map(({ append, artifact }) => [append, artifact?.artifactId])).toEqual([
    [true, 'output'],
    [false, 'output'],
    [false, 'changes'],
  ]);
});

it('answers who waits with the task as it is when the daemon stops', async () => {
  const own = heldAdapter({ type: 'held' });
  await using stopping = await startDaemon({ extraAdapters: [own.adapter], flags: a2aFlags });
  const { headers } = await tokenOf(stopping);
  const message = {
    role: 'ROLE_USER',
    messageId: 'm',
    parts: [{ text: 'Wait' }],
    metadata: { skill: 'held' },
  };
  const waiting = callRaw(stopping, headers, 'SendMessage', { message });
  await own.started(0);
  await stopping.stop(0);
  expect((await waiting).body.result).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
});

describe('the notification to an agent', () => {
  const auth = { scheme: 'Bearer', credentials: 'secret-of-the-agent' };
  it.each(['with the message', 'afterwards'])(
    'is signed and carries its token, if it is set %s',
    async (when) => {
      await using server = await startLoopbackServer((response) => response.writeHead(204).end());
      const config = {
        tenant: '',
        id: 'mine',
        taskId: '',
        url: `${server.url}/push`,
        token: 'token-of-the-agent',
        authentication: auth,
      };
      const task = await sendTask('Notify', {
        metadata: { skill: 'held' },
        returnImmediately: true,
        ...(when === 'with the message' && { taskPushNotificationConfig: config }),
      });
      const { id: taskId } = task;
      if (when === 'afterwards') await agent.createTaskPushNotificationConfig({ ...config, taskId });
      const { configs } = await agent.listTaskPushNotificationConfig({
        tenant: '',
        taskId,
        pageSize: 0,
        pageToken: '',
      });
      expect(configs).toMatchObject([{ id: 'mine', url: config.url, token: '', authentication: undefined }]);
      await agent.cancelTask({ tenant: '', id: taskId, metadata: undefined });
      const [request] = await until(() => {
        expect(server.requests).toHaveLength(1);
        return server.requests;
      });
      const headers = request?.headers as Record<string, string>;
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        'x-a2a-notification-token': 'token-of-the-agent',
        authorization: 'Bearer secret-of-the-agent',
      });
      expect(new Webhook(token.notifySecret).verify(request?.body ?? '', headers)).toMatchObject({
        task: { id: taskId, contextId: task.contextId, status: { state: 'TASK_STATE_CANCELED' } },
      });
      const rows = await daemon.app.database.read.selectFrom('notify_deliveries').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('of-the-agent');
    },
  );

  it('is not sent once it is deleted, and not set for a task that has finished', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    const { id: taskId } = await sendTask('Quiet', { metadata: { skill: 'held' }, returnImmediately: true });
    const config = { tenant: '', id: '', taskId, url: server.url, token: '', authentication: undefined };
    const { id } = await agent.createTaskPushNotificationConfig(config);
    expect(await agent.getTaskPushNotificationConfig({ tenant: '', taskId, id })).toMatchObject({ id });
    await agent.deleteTaskPushNotificationConfig({ tenant: '', taskId, id });
    await expect(agent.getTaskPushNotificationConfig({ tenant: '', taskId, id })).rejects.toThrow();
    await agent.cancelTask({ tenant: '', id: taskId, metadata: undefined });
    await expect(agent.createTaskPushNotificationConfig(config)).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
    });
    expect(
      await daemon.app.database.read
        .selectFrom('notify_deliveries')
        .selectAll()
        .where('task_id', '=', taskId)
        .execute(),
    ).toEqual([]);
  });
});
