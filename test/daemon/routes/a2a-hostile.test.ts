import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/contract/scopes.ts';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { a2aFlags, callRaw, postRaw, type RawAnswer, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const quick = testAdapter(async () => ({ output: 'done' }));
const held = heldAdapter({ type: 'held' });
let daemon: TestDaemon;
let headers: Record<string, string>;
beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [quick, held.adapter],
    flags: { ...a2aFlags, 'agents.default': 'test' },
  });
  ({ headers } = await tokenOf(daemon));
});
afterAll(() => daemon[Symbol.asyncDispose]());

const message = { role: 'ROLE_USER', parts: [{ text: 'Hi' }], messageId: 'm', metadata: { skill: 'held' } };
const newTask = async (more: Record<string, string> = headers) => {
  const { body } = await callRaw(daemon, more, 'SendMessage', {
    message,
    configuration: { returnImmediately: true },
  });
  return (body.result as { task: { id: string } }).task.id;
};
/** The parameters with which each method works on a task. */
const calls = (id: string): Record<string, object> => ({
  SendMessage: { message: { ...message, taskId: id } },
  SendStreamingMessage: { message: { ...message, taskId: id } },
  GetTask: { id },
  CancelTask: { id },
  SubscribeToTask: { id },
  CreateTaskPushNotificationConfig: { taskId: id, url: 'https://example.com/' },
  GetTaskPushNotificationConfig: { taskId: id, id: 'x' },
  ListTaskPushNotificationConfigs: { taskId: id },
  DeleteTaskPushNotificationConfig: { taskId: id, id: 'x' },
});
const isProtocolError = ({ status, body }: RawAnswer) => {
  expect(status).toBeLessThan(500);
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    error: { code: expect.any(Number), message: expect.any(String) },
  });
};

describe('a hostile agent', () => {
  it('learns nothing of the tasks of others, and changes none', async () => {
    const id = await newTask();
    const other = await addUser(daemon, 'other');
    const { headers: theirs } = await tokenOf(daemon, ['tasks:write', 'gateway:write'], other.caller);
    for (const [method, params] of Object.entries(calls(id)))
      expect((await callRaw(daemon, theirs, method, params)).body, method).toMatchObject({
        error: { code: -32_001, message: 'Task not found' },
      });
    expect((await callRaw(daemon, theirs, 'ListTasks')).body.result).toMatchObject({
      tasks: [],
      totalSize: 0,
    });
    const { body } = await callRaw(daemon, headers, 'GetTask', { id });
    expect(body.result).toMatchObject({ status: { state: expect.stringMatching(/SUBMITTED|WORKING/) } });
  });

  it('finds no task of the same user that did not come from an agent', async () => {
    const { task } = await daemon.client.tasks.create({ body: { title: 'Mine', assignedAgent: 'held' } });
    for (const [method, params] of Object.entries(calls(task.id)))
      expect((await callRaw(daemon, headers, method, params)).body, method).toMatchObject({
        error: { code: -32_001 },
      });
  });

  const reading = ['tasks:read', 'tasks:write', 'gateway:write'];
  const sending = ['tasks:write', 'gateway:write'];
  const notifying = ['gateway:write'];
  it.each([
    ['SendMessage', sending],
    ['SendStreamingMessage', sending],
    ['GetTask', reading],
    ['ListTasks', reading],
    ['SubscribeToTask', reading],
    ['CancelTask', ['tasks:write']],
    ['CreateTaskPushNotificationConfig', notifying],
    ['GetTaskPushNotificationConfig', notifying],
    ['ListTaskPushNotificationConfigs', notifying],
    ['DeleteTaskPushNotificationConfig', notifying],
    ['GetExtendedAgentCard', reading],
  ])('can call %s with these scopes only: %s', async (method, allowed) => {
    const scopes: Scope[] = [
      'tasks:read',
      'tasks:write',
      'gateway:write',
      'gateway:read',
      'models:use',
      'memory:read',
      'webhooks:write',
    ];
    for (const scope of scopes) {
      const { headers: own } = await tokenOf(daemon, [scope]);
      const answer = await callRaw(daemon, own, method, { id: 'none' });
      if (allowed.includes(scope)) expect(answer.status, scope).toBe(200);
      else {
        expect(answer.status, scope).toBe(403);
        isProtocolError(answer);
      }
    }
  });

  it('is not let in without a token, or with the session of a person', async () => {
    for (const own of [{}, { authorization: 'Bearer svc_wrong' }, { ...daemon.headers }]) {
      const answer = await callRaw(daemon, own, 'ListTasks');
      expect(answer.status).toBe(401);
      isProtocolError(answer);
    }
  });

  it('cannot send more text than a task may have', async () => {
    const parts = Array.from({ length: 2 }, () => ({ text: 'x'.repeat(150_000) }));
    const { body } = await callRaw(daemon, headers, 'SendMessage', { message: { ...message, parts } });
    expect(body.error).toMatchObject({ code: -32_602 });
  });

  it('cannot name an agent that runs commands without the right', async () => {
    const shell = { ...message, metadata: { skill: 'command' } };
    const { body } = await callRaw(daemon, headers, 'SendMessage', { message: shell });
    expect(body.error).toMatchObject({ code: -32_602 });
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:4310/api/tasks',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x7f.1/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'https://user:secret@example.com/',
    'nonsense',
  ])('cannot have %s notified', async (url) => {
    const taskId = await newTask();
    const config = { taskId, url };
    isProtocolError(await callRaw(daemon, headers, 'CreateTaskPushNotificationConfig', config));
    const sent = { message, configuration: { taskPushNotificationConfig: { url }, returnImmediately: true } };
    isProtocolError(await callRaw(daemon, headers, 'SendMessage', sent));
    const { body } = await callRaw(daemon, headers, 'ListTaskPushNotificationConfigs', { taskId });
    expect(body.result).toMatchObject({ configs: [] });
  });

  it('cannot have a private address notified by a name', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    const taskId = await newTask();
    const url = server.url.replace('127.0.0.1', 'localhost');
    await callRaw(daemon, headers, 'CreateTaskPushNotificationConfig', { taskId, url });
    await callRaw(daemon, headers, 'CancelTask', { id: taskId });
    await until(async () => {
      const rows = daemon.app.database.read.selectFrom('notify_deliveries').selectAll();
      expect(await rows.where('task_id', '=', taskId).execute()).toMatchObject([
        { attempts: 1, last_status: null, last_error: expect.any(String) },
      ]);
    });
    expect(server.requests).toEqual([]);
  });

  it.each(['a\r\nx-other: 1', 'a\0', 'ä', 'x'.repeat(5000)])('cannot put %j into a header', async (text) => {
    const base = { taskId: await newTask(), url: 'https://example.com/' };
    const method = 'CreateTaskPushNotificationConfig';
    isProtocolError(await callRaw(daemon, headers, method, { ...base, token: text }));
    isProtocolError(
      await callRaw(daemon, headers, method, {
        ...base,
        authentication: { scheme: text, credentials: text },
      }),
    );
  });

  it('gets no more than ten notifications for a task', async () => {
    const taskId = await newTask();
    const add = (n: number) =>
      callRaw(daemon, headers, 'CreateTaskPushNotificationConfig', {
        taskId,
        id: `c${n}`,
        url: 'https://example.com/',
      });
    for (let n = 0; n < 10; n++) expect((await add(n)).body.result).toMatchObject({ id: `c${n}` });
    isProtocolError(await add(10));
    expect((await add(3)).body.result).toMatchObject({ id: 'c3' });
  });

  it('creates tasks no faster than through the gateway', async () => {
    await using slow = await startDaemon({ flags: { 'a2a.enabled': true, 'gateway.requestsPerMinute': 2 } });
    const { headers: own } = await tokenOf(slow);
    const params = { message: { ...message, metadata: {} }, configuration: { returnImmediately: true } };
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await callRaw(slow, own, 'SendMessage', params)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await callRaw(slow, own, 'ListTasks')).status).toBe(200);
  });

  it('gets an error of the protocol for a body that is none of it', async () => {
    const bodies = [
      '',
      'null',
      '7',
      '"x"',
      '[]',
      '{}',
      '{"__proto__":{"x":1}}',
      '{"jsonrpc":"2.0","id":{},"method":"GetTask"}',
      '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
      '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}',
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}',
      `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":"${'x'.repeat(3_000_000)}"}`,
    ];
    for (const body of bodies) isProtocolError(await postRaw(daemon, headers, body));
    isProtocolError(await postRaw(daemon, headers, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])));
    for (const more of [{ 'content-type': 'text/plain' }, { 'a2a-version': 'x'.repeat(100) }])
      isProtocolError(
        await postRaw(daemon, { ...headers, ...more }, '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}'),
      );
  });

  it('never makes the daemon fail, whatever context and tasks its message names', async () => {
    const id = await newTask();
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 210 }),
      fc.constantFrom('', '\u0000', '\ud800', "' or 1=1 --", '../..', '__proto__', id),
    );
    await fc.assert(
      fc.asyncProperty(name, fc.array(name, { maxLength: 101 }), async (contextId, referenceTaskIds) => {
        const params = {
          message: { ...message, contextId, referenceTaskIds },
          configuration: { returnImmediately: true },
        };
        const { status, body } = await callRaw(daemon, headers, 'SendMessage', params);
        // Text that no storage takes is refused before it is read as a request.
        expect(status).toBeOneOf([200, 400]);
        if (body.error) expect(body.error.code).toBeOneOf([-32_602, -32_700, -32_600]);
        else expect(body.result).not.toHaveProperty('task.metadata');
      }),
      { numRuns: 100 },
    );
  });

  it('never makes the daemon fail, whatever the parameters are', async () => {
    const id = await newTask();
    const methods = [...Object.keys(calls(id)), 'ListTasks', 'GetExtendedAgentCard'];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.integer(),
        fc.constantFrom(null, true, '', '../..', "' or 1=1 --", '\u0000', '\ud800', id, -1, 1e308),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('id', 'taskId', 'contextId', 'url', 'text', 'data'), tie('any'), {
          maxKeys: 3,
        }),
      ),
    })).any;
    const keys = [
      'id',
      'taskId',
      'contextId',
      'message',
      'configuration',
      'status',
      'pageSize',
      'pageToken',
      'url',
      'historyLength',
      'statusTimestampAfter',
      'token',
      'authentication',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 5 }),
        async (method, params) => {
          if (method.includes('Subscribe') || method === 'CancelTask') delete params['id'];
          const { status, body } = await callRaw(daemon, headers, method, params);
          expect(status).toBeLessThan(500);
          expect(body).toMatchObject({ jsonrpc: '2.0' });
        },
      ),
      { numRuns: 300 },
    );
  });
});
