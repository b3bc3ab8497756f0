import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../src/core/config/config.ts';
import { type Runtime, systemRuntime } from '../../../src/core/runtime.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { a2aFlags, callRaw, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type Script } from '../../helpers/model-server.ts';
import { until } from '../../helpers/tasks.ts';

const flags: Flags = { ...a2aFlags, 'outbound.allowPrivate': ['127.0.0.0/8'] };
const calls = callsTools([[{ name: 'write_file', args: { path: 'a.txt', content: 'one' } }]], 'Written');

/** A model that calls a tool, and says the rest only when it is told to. */
function heldModel(): { script: Script; goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = async (reply, asked) => {
    if (asked.body.messages.some(({ role }) => role === 'tool')) await promise;
    await calls(reply, asked);
  };
  return { script, goOn: resolve };
}

interface Task {
  id: string;
  status: { state: string; timestamp: string };
}

/** Sends a task whose call waits for decisions, with a notification to the URL. */
async function sendTask(daemon: TestDaemon, url: string) {
  const { headers, id: tokenId } = await tokenOf(daemon);
  const { body } = await callRaw(daemon, headers, 'SendMessage', {
    message: {
      role: 'ROLE_USER',
      messageId: 'm',
      parts: [{ text: 'Write' }],
      metadata: { skill: 'builtin' },
    },
    configuration: {
      taskPushNotificationConfig: { id: 'mine', url, token: 'token-of-the-agent' },
    },
  });
  const { task } = body.result as { task: Task };
  expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  return { id: task.id, headers, tokenId };
}
const rowsOf = ({ app }: TestDaemon) =>
  app.database.read.selectFrom('notify_deliveries').selectAll().orderBy('created_at').orderBy('id').execute();
const bodyOf = ({ body }: { body: string }) => JSON.parse(body) as { task: Task };
const statesAt = (server: LoopbackServer, count: number) =>
  until(() => {
    expect(server.requests).toHaveLength(count);
    return server.requests.map((request) => bodyOf(request).task.status.state);
  });
/** The approval that the only task waits for, and how any is decided. */
async function pendingOf({ app, client }: TestDaemon) {
  const row = await app.database.read
    .selectFrom('approvals')
    .selectAll()
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  const decider = (id: string, decision: 'allow-once' | 'deny' = 'allow-once') =>
    client.approvals.decide({ params: { id }, body: { decision } });
  return { row, decider };
}
async function allow(daemon: TestDaemon): Promise<void> {
  const { row, decider } = await pendingOf(daemon);
  await decider(row.id);
}

describe('the notification of another agent of an approval', () => {
  it('comes when its task begins to wait, goes on, and has finished', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    const model = heldModel();
    await using rig = await startModelDaemon({ flags }, model.script);
    const { id, headers } = await sendTask(rig.daemon, server.url);
    expect(await statesAt(server, 1)).toEqual(['TASK_STATE_AUTH_REQUIRED']);
    expect(server.requests[0]?.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'x-a2a-notification-token': 'token-of-the-agent',
    });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      task: {
        id,
        status: { message: { parts: [{ text: expect.stringContaining('decision of a person') }] } },
      },
    });
    const listed = await callRaw(rig.daemon, headers, 'ListTaskPushNotificationConfigs', { taskId: id });
    expect(listed.body.result).toMatchObject({ configs: [{ id: 'mine' }] });
    await allow(rig.daemon);
    expect(await statesAt(server, 2)).toEqual(['TASK_STATE_AUTH_REQUIRED', 'TASK_STATE_WORKING']);
    model.goOn();
    expect((await statesAt(server, 3)).at(-1)).toBe('TASK_STATE_COMPLETED');
    const times = server.requests.map((request) => bodyOf(request).task.status.timestamp);
    expect(times).toEqual([...times].sort());
    expect(new Set(server.requests.map((request) => request.headers['webhook-id'])).size).toBe(3);
  });

  it('comes once for several calls that wait at once, until all of them are decided', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    const model = heldModel();
    await using rig = await startModelDaemon({ flags }, model.script);
    await sendTask(rig.daemon, server.url);
    const { row, decider } = await pendingOf(rig.daemon);
    const { id } = await rig.daemon.app.approvals.request({ ...row, binding: 'another' });
    await decider(id, 'deny');
    expect(await rowsOf(rig.daemon)).toMatchObject([{ approval_id: null }, { approval_id: row.id }]);
    await decider(row.id);
    expect(await statesAt(server, 2)).toEqual(['TASK_STATE_AUTH_REQUIRED', 'TASK_STATE_WORKING']);
    model.goOn();
  });

  it('is retried as it was, also after a restart', async () => {
    let isWell = false;
    let ahead = 0;
    const runtime: Runtime = { ...systemRuntime, now: () => new Date(Date.now() + ahead) };
    await using server = await startLoopbackServer((response) =>
      response.writeHead(isWell ? 204 : 503).end(),
    );
    await using rig = await startModelDaemon({ flags, runtime }, calls);
    await sendTask(rig.daemon, server.url);
    await until(async () =>
      expect(await rowsOf(rig.daemon)).toMatchObject([
        { status: 'waiting' },
        { status: 'due', attempts: 1, last_status: 503 },
      ]),
    );
    await rig.daemon.stop();
    isWell = true;
    ahead += 33_001;
    await using second = await startDaemon({ flags, runtime, home: rig.daemon.home });
    await until(async () =>
      expect(await rowsOf(second)).toMatchObject([
        { status: 'waiting' },
        { status: 'delivered', attempts: 2 },
      ]),
    );
    expect(await statesAt(server, 2)).toEqual(['TASK_STATE_AUTH_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);
    const [one, other] = server.requests;
    expect(other?.body).toBe(one?.body);
    expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  });

  it('is not retried once the task is in a later state', async () => {
    let isWell = false;
    await using server = await startLoopbackServer((response) =>
      response.writeHead(isWell ? 204 : 503).end(),
    );
    const model = heldModel();
    await using rig = await startModelDaemon({ flags }, model.script);
    await sendTask(rig.daemon, server.url);
    await until(async () => expect(await rowsOf(rig.daemon)).toMatchObject([{}, { attempts: 1 }]));
    await allow(rig.daemon);
    await until(async () => expect(await rowsOf(rig.daemon)).toMatchObject([{}, { attempts: 1 }]));
    await statesAt(server, 2);
    isWell = true;
    model.goOn();
    await until(async () => expect(await rowsOf(rig.daemon)).toMatchObject([{ status: 'delivered' }]));
    expect(await statesAt(server, 3)).toEqual([
      'TASK_STATE_AUTH_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('is stored with the approval or not at all', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    await using rig = await startModelDaemon({ flags }, calls);
    const { id } = await sendTask(rig.daemon, server.url);
    const { approvals, database } = rig.daemon.app;
    const { row } = await pendingOf(rig.daemon);
    await database.write(({ db }) => db.deleteFrom('approvals').execute());
    const before = await rowsOf(rig.daemon);
    await expect(
      approvals.request({ ...row, binding: 'another' }, async () => {
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    expect(await rowsOf(rig.daemon)).toEqual(before);
    await approvals.request({ ...row, binding: 'another' });
    const [stored] = await database.read.selectFrom('approvals').select('id').execute();
    const after = await rowsOf(rig.daemon);
    expect(after.filter(({ task_id }) => task_id === id).map((each) => each.approval_id)).toContain(
      stored?.id,
    );
  });

  it('is neither sent once its configuration is deleted, nor counted among them', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(503).end());
    await using rig = await startModelDaemon({ flags }, calls);
    const { id: taskId, headers } = await sendTask(rig.daemon, server.url);
    await until(async () => expect(await rowsOf(rig.daemon)).toMatchObject([{}, { attempts: 1 }]));
    for (let n = 1; n < 10; n++) {
      const config = { taskId, id: `c${n}`, url: 'https://example.com/' };
      const { body } = await callRaw(rig.daemon, headers, 'CreateTaskPushNotificationConfig', config);
      expect(body.result).toMatchObject({ id: `c${n}` });
    }
    await callRaw(rig.daemon, headers, 'DeleteTaskPushNotificationConfig', { taskId, id: 'mine' });
    expect((await rowsOf(rig.daemon)).filter(({ config_id }) => config_id === 'mine')).toEqual([]);
  });
});
