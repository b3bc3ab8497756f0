import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/contract/scopes.ts';
import { a2aFlags, callRaw, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { heldAdapter, testAdapter } from '../../helpers/tasks.ts';
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

/** Without a version, as clients of 0.3 call. */
const call = (own: Record<string, string>, method: string, params?: unknown) =>
  callRaw(daemon, { ...own, 'a2a-version': '' }, method, params);
const message = {
  kind: 'message',
  role: 'user',
  parts: [{ kind: 'text', text: 'Hi' }],
  messageId: 'm',
  metadata: { skill: 'held' },
};
const newTask = async () => {
  const { body } = await call(headers, 'message/send', { message, configuration: { blocking: false } });
  return body.result?.['id'] as string;
};
const reading = ['tasks:read', 'tasks:write', 'gateway:write'];
const sending = ['tasks:write', 'gateway:write'];
const notifying = ['gateway:write'];
/** The parameters with which each method works on a task, and the scopes that allow it. */
const calls = (id: string): Record<string, [object, string[]]> => ({
  'message/send': [{ message: { ...message, taskId: id } }, sending],
  'message/stream': [{ message: { ...message, taskId: id } }, sending],
  'tasks/get': [{ id }, reading],
  'tasks/cancel': [{ id }, ['tasks:write']],
  'tasks/resubscribe': [{ id }, reading],
  'tasks/pushNotificationConfig/set': [
    { taskId: id, pushNotificationConfig: { url: 'https://example.com/' } },
    notifying,
  ],
  'tasks/pushNotificationConfig/get': [{ id }, notifying],
  'tasks/pushNotificationConfig/list': [{ id }, notifying],
  'tasks/pushNotificationConfig/delete': [{ id, pushNotificationConfigId: 'x' }, notifying],
});

describe('a hostile agent that speaks version 0.3', () => {
  it('learns nothing of the tasks of others, and changes none', async () => {
    const id = await newTask();
    const { task } = await daemon.client.tasks.create({ body: { title: 'Mine', assignedAgent: 'held' } });
    const other = await addUser(daemon, 'other');
    const { headers: theirs } = await tokenOf(daemon, ['tasks:write', 'gateway:write'], other.caller);
    for (const [own, known] of [
      [theirs, id],
      [headers, task.id],
    ] as const)
      for (const [method, [params]] of Object.entries(calls(known)))
        expect((await call(own, method, params)).body, method).toMatchObject({
          error: { code: -32_001, message: 'Task not found' },
        });
    const { body } = await call(headers, 'tasks/get', { id });
    expect(body.result).toMatchObject({ status: { state: expect.stringMatching(/submitted|working/) } });
  });

  it.each([
    ...Object.entries(calls('none')).map(([method, [, scopes]]) => [method, scopes] as const),
    ['agent/getAuthenticatedExtendedCard', reading] as const,
  ])('can call %s with these scopes only: %s', async (method, allowed) => {
    const scopes: Scope[] = ['tasks:read', 'tasks:write', 'gateway:write', 'gateway:read', 'models:use'];
    for (const scope of scopes) {
      const { headers: own } = await tokenOf(daemon, [scope]);
      const { status, body } = await call(own, method, { id: 'none' });
      expect(status, scope).toBe(allowed.includes(scope) ? 200 : 403);
      if (status === 403) expect(body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
    }
  });

  it('needs the right to be notified with its message, and cannot have private addresses notified', async () => {
    const params = (url: string) => ({
      message,
      configuration: { blocking: false, pushNotificationConfig: { url } },
    });
    const { headers: weaker } = await tokenOf(daemon, ['tasks:write']);
    expect((await call(weaker, 'message/send', params('https://example.com/'))).status).toBe(403);
    for (const url of ['http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/', 'file:///etc/passwd'])
      expect((await call(headers, 'message/send', params(url))).body.error).toMatchObject({ code: -32_602 });
  });

  it('cannot put line breaks into a header', async () => {
    for (const config of [
      { token: 'a\r\nx-other: 1' },
      { authentication: { schemes: ['a\r\nb'] } },
      { authentication: { schemes: ['Bearer'], credentials: 'a\nb' } },
    ]) {
      const pushNotificationConfig = { url: 'https://example.com/', ...config };
      const params = { message, configuration: { blocking: false, pushNotificationConfig } };
      expect((await call(headers, 'message/send', params)).body.error).toMatchObject({ code: -32_602 });
    }
  });

  it.each(['constructor', '__proto__', 'toString', 'SendMessage', 'tasks/list', ''])(
    'finds no method %j',
    async (method) => expect((await call(headers, method, {})).body.error).toMatchObject({ code: -32_601 }),
  );

  it('never makes the daemon fail, whatever the parameters are', async () => {
    const id = await newTask();
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.constantFrom(
          null,
          true,
          '',
          'text',
          'data',
          'file',
          'message',
          'user',
          '\u0000',
          '\ud800',
          id,
          1e308,
        ),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'kind',
            'text',
            'data',
            'file',
            'bytes',
            'uri',
            'id',
            'url',
            'schemes',
            '__proto__',
          ),
          tie('any'),
          { maxKeys: 3 },
        ),
      ),
    })).any;
    const keys = ['id', 'taskId', 'message', 'configuration', 'metadata', 'historyLength'];
    const more = ['pushNotificationConfig', 'pushNotificationConfigId'];
    const params = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys, ...more), value, { maxKeys: 5 }),
      fc
        .dictionary(fc.constantFrom('parts', 'contextId', 'referenceTaskIds', 'metadata'), value, {
          maxKeys: 3,
        })
        .map((given) => ({ message: { ...message, ...given }, configuration: { blocking: false } })),
    );
    const methods = [...Object.keys(calls(id)), 'agent/getAuthenticatedExtendedCard'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), params, async (method, given) => {
        // These would end the task, or wait for its end.
        if (method === 'tasks/cancel' || method === 'tasks/resubscribe') Object.assign(given, { id: 'none' });
        const known = method === 'message/stream' ? 'message/send' : method;
        const { status, body } = await call(headers, known, given);
        expect(status).toBeLessThan(500);
        expect(body).toMatchObject({ jsonrpc: '2.0' });
      }),
      { numRuns: 300 },
    );
  });
});
