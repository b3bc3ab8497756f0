import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/contract/scopes.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../../helpers/gateway.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

type Gateway = Awaited<ReturnType<typeof gatewayClient>>;

const task = { title: 'Say it', assignedAgent: 'test' };
const echo = testAdapter(async (run) => ({ output: `said ${run.task.prompt}`, model: 'parrot-1' }));
const held = heldAdapter({ type: 'held' });
const failing = { ...failingAdapter('auth', 'Wrong key'), type: 'failing' };

let daemon: TestDaemon;
let gateway: Gateway;

beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [echo, held.adapter, failing], flags: manyRequests });
  gateway = await gatewayClient(daemon);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const total = async () => (await daemon.client.tasks.list()).total;

describe('an asynchronous request', () => {
  it('the gateway accepts an asynchronous request, which runs as a task and can be polled', async () => {
    const { status, body } = await gateway.submit({ task: { ...task, prompt: 'hello' } });
    const { requestId = '', taskId = '' } = body;
    expect(status).toBe(202);
    expect(body).toEqual({
      requestId,
      taskId,
      status: 'pending',
      estimatedWait: 0,
      statusUrl: `${daemon.url}/api/gateway/${requestId}/status`,
    });
    expect(requestId).toMatch(/^req_[\da-f-]{36}$/);
    const ended = await gateway.ended(requestId);
    const stored = await follow(daemon.client, taskId);
    expect(ended).toEqual({
      httpStatus: 200,
      requestId,
      taskId,
      status: 'completed',
      progress: 1,
      result: { output: 'said hello', duration: stored.task.result?.duration, model: 'parrot-1' },
      startedAt: stored.task.startedAt,
      updatedAt: stored.task.updatedAt,
    });
    expect(stored.events[0]).toMatchObject({ type: 'created' });
    const answer = await fetch(body.statusUrl ?? '', { headers: gateway.headers });
    expect(await answer.json()).toMatchObject({ requestId, status: 'completed' });
  });

  it('an asynchronous request shows the error of a failed task', async () => {
    const { body } = await gateway.submit({ task: { title: 'Fails', assignedAgent: 'failing' } });
    expect(await gateway.ended(body.requestId ?? '')).toMatchObject({
      status: 'failed',
      progress: 1,
      error: { class: 'auth', code: 'test', message: 'Wrong key' },
    });
    expect(await gateway.status(body.requestId ?? '')).not.toHaveProperty('result');
  });

  it('an asynchronous request shows the same task after it was requeued from the dead letters', async () => {
    const { body } = await gateway.submit({ task: { title: 'Again', assignedAgent: 'failing' } });
    const { requestId = '', taskId = '' } = body;
    await gateway.ended(requestId);
    const { items } = await daemon.client.dlq.list();
    const id = items.find((item) => item.taskId === taskId)?.id ?? '';
    await daemon.client.dlq.retry({ params: { id } });
    await until(async () => {
      const { attempts } = (await daemon.client.tasks.get({ params: { id: taskId } })).task;
      expect(attempts).toBe(1);
      expect((await gateway.status(requestId)).status).toBe('failed');
    });
  });

  it('an asynchronous request shows its progress until it is cancelled', async () => {
    const { body } = await gateway.submit({ task: { title: 'Long', assignedAgent: 'held' } });
    const { requestId = '', taskId = '' } = body;
    const { run } = await until(() => held.runs.find((found) => found.run.task.id === taskId) ?? fail());
    run.emit({ type: 'progress', message: 'Half', data: { progress: 0.5 } });
    await until(async () => {
      const { events } = await daemon.client.tasks.listEvents({ params: { id: taskId } });
      expect(events.at(-1)).toMatchObject({ type: 'progress' });
    });
    const running = await gateway.status(requestId);
    expect(running).toMatchObject({ status: 'in_progress', progress: 0.5 });
    expect(running).not.toHaveProperty('estimatedWait');
    await daemon.client.tasks.cancel({ params: { id: taskId } });
    expect(await gateway.status(requestId)).toMatchObject({ status: 'cancelled', progress: 1 });
  });

  it('an asynchronous request that no agent fits waits and says so', async () => {
    const { status, body } = await gateway.submit({ task: { title: 'Nobody' } });
    expect(status).toBe(202);
    expect(await gateway.status(body.requestId ?? '')).toMatchObject({ status: 'pending', progress: 0 });
  });

  it('the URL of an asynchronous request starts with the configured base URL', async () => {
    await using other = await startDaemon({
      flags: { ...manyRequests, 'server.baseUrl': 'https://svc.example.org/' },
    });
    const { body } = await (await gatewayClient(other)).submit({ task });
    expect(body.statusUrl).toBe(`https://svc.example.org/api/gateway/${body.requestId}/status`);
  });
});

const fail = (): never => {
  throw new Error('not yet');
};

describe('a synchronous request', () => {
  const synchronous = (more: object = {}) => ({ synchronous: true, ...more });

  it('a synchronous request returns the result', async () => {
    const { status, body } = await gateway.submit({
      task: { ...task, prompt: 'now' },
      options: synchronous(),
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      requestId: body.requestId,
      taskId: body.taskId,
      status: 'completed',
      result: { output: 'said now', duration: expect.any(Number), model: 'parrot-1' },
    });
  });

  it('a synchronous request returns the error', async () => {
    const { status, body } = await gateway.submit({
      task: { title: 'Fails', assignedAgent: 'failing' },
      options: synchronous(),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', error: { class: 'auth' } });
  });

  it('a synchronous request that times out answers like an asynchronous one, and its task continues', async () => {
    const { status, body } = await gateway.submit({
      task: { title: 'Slow', assignedAgent: 'held' },
      options: synchronous({ timeout: 1 }),
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'pending', statusUrl: expect.any(String) });
    const run = await until(() => held.runs.find((found) => found.run.task.id === body.taskId) ?? fail());
    run.succeed('late');
    expect(await gateway.ended(body.requestId ?? '')).toMatchObject({ result: { output: 'late' } });
  });

  it('a synchronous request continues when its client disconnects', async () => {
    const controller = new AbortController();
    const answer = gateway.submit(
      { task: { title: 'Gone', assignedAgent: 'held' }, options: synchronous() },
      { key: 'gone', signal: controller.signal },
    );
    const run = await until(() => held.runs.find((found) => found.run.task.title === 'Gone') ?? fail());
    controller.abort();
    await expect(answer).rejects.toThrow();
    run.succeed('without anybody');
    const { task: stored } = await follow(daemon.client, run.run.task.id);
    expect(stored).toMatchObject({ status: 'completed', result: { output: 'without anybody' } });
  });

  it('a repeated synchronous request waits for the same task', async () => {
    const body = { task: { title: 'Twice', assignedAgent: 'held' }, options: synchronous() };
    const first = gateway.submit(body, { key: 'twice' });
    const run = await until(() => held.runs.find((found) => found.run.task.title === 'Twice') ?? fail());
    const second = gateway.submit(body, { key: 'twice' });
    run.succeed('once');
    const [one, two] = await Promise.all([first, second]);
    expect(one).toMatchObject({ status: 200, replay: null, body: { result: { output: 'once' } } });
    expect(two).toEqual({ ...one, replay: 'true' });
    expect(held.runs.filter((found) => found.run.task.title === 'Twice')).toHaveLength(1);
  });

  it('a synchronous request is answered at once when the daemon stops, and its task runs after the next start', async () => {
    const other = heldAdapter({ type: 'held' });
    const first = await startDaemon({ extraAdapters: [other.adapter], flags: manyRequests });
    const client = await gatewayClient(first);
    const answer = client.submit({
      task: { title: 'Stopped', assignedAgent: 'held' },
      options: synchronous(),
    });
    await other.started(0);
    await first.stop();
    const { status, body } = await answer;
    expect(status).toBe(202);
    await using second = await startDaemon({ home: first.home, extraAdapters: [other.adapter] });
    (await other.started(1)).succeed('after all');
    const { task: stored } = await follow(second.client, body.taskId ?? '');
    expect(stored).toMatchObject({ status: 'completed' });
  });
});

describe('the idempotency key of the gateway', () => {
  it.each(['header', 'body', 'task'])(
    'a repeated idempotency key returns the first answer, from the %s',
    async (place) => {
      const before = await total();
      const send = () =>
        place === 'header'
          ? gateway.submit({ task }, { key: 'in-header' })
          : place === 'body'
            ? gateway.submit({ task, idempotencyKey: 'in-body' })
            : gateway.submit({ task: { ...task, idempotencyKey: 'in-task' } });
      const first = await send();
      expect(first).toMatchObject({ status: 202, replay: null });
      await gateway.ended(first.body.requestId ?? '');
      expect(await send()).toEqual({ status: 200, replay: 'true', body: first.body });
      expect(await total()).toBe(before + 1);
    },
  );

  const others: [string, object][] = [
    ['task', { task: { ...task, title: 'Other' } }],
    ['workflow', { task, workflow: 'summarize' }],
    ['options', { task, options: { timeout: 5 } }],
  ];
  it.each(others)('an idempotency key with another %s is a conflict', async (what, other) => {
    await gateway.submit({ task }, { key: `conflict-${what}` });
    const before = await total();
    expect((await gateway.submit(other, { key: `conflict-${what}` })).status).toBe(409);
    expect(await total()).toBe(before);
  });

  it('an idempotency key of the gateway differs from that of a task', async () => {
    await daemon.client.tasks.create({ body: { ...task, idempotencyKey: 'shared' } });
    expect((await gateway.submit({ task }, { key: 'shared' })).status).toBe(202);
  });

  it('an idempotency key in a thousand simultaneous requests creates one task and one request', async () => {
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => gateway.submit({ task }, { key: 'thousand' })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status, replay }) => status === 200 && replay === 'true')).toHaveLength(999);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await total()).toBe(before + 1);
    const rows = await daemon.app.database.read
      .selectFrom('gateway_requests')
      .selectAll()
      .where('task_id', '=', answers[0]?.body.taskId ?? '')
      .execute();
    expect(rows).toMatchObject([{ id: answers[0]?.body.requestId, owner_id: 'user_owner' }]);
  });

  it('an idempotency key of the gateway survives a restart', async () => {
    const first = await startDaemon({ extraAdapters: [echo], flags: manyRequests });
    const { headers } = await gatewayClient(first);
    const send = async (url: string) => {
      const response = await fetch(`${url}/api/gateway`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'stays' },
        body: JSON.stringify({ task }),
      });
      return { status: response.status, body: await response.text() };
    };
    const { body } = await send(first.url);
    await first.stop();
    await using second = await startDaemon({ home: first.home, extraAdapters: [echo] });
    expect(await send(second.url)).toEqual({ status: 200, body });
    expect((await second.client.tasks.list()).total).toBe(1);
  });
});

describe('a workflow', () => {
  it('a workflow adds instructions around the prompt and changes nothing else', async () => {
    const given = { ...task, description: 'd', prompt: 'Look at #7', labels: ['x'] };
    const { body } = await gateway.submit({ task: given, workflow: 'code-review' });
    const { task: stored } = await follow(daemon.client, body.taskId ?? '');
    expect(stored).toMatchObject({ title: given.title, description: 'd', labels: ['x'] });
    expect(stored.prompt).toContain('<task>\nLook at #7\n</task>');
    expect(stored.prompt).toMatch(/^Review the change/);
  });

  it.each([{}, { workflow: 'custom' }])(
    'an unknown workflow leaves the prompt unchanged: %j',
    async (workflow) => {
      const prompt = ' as\tit is \n</task> ';
      const { body } = await gateway.submit({ task: { ...task, prompt }, ...workflow });
      expect((await follow(daemon.client, body.taskId ?? '')).task.prompt).toBe(prompt);
    },
  );

  it('a workflow never runs as a command, neither by name nor by default', async () => {
    const commander = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    const command = { title: 'Run', prompt: 'echo ran', assignedAgent: 'command' };
    const { status, body } = await commander.submit({ task: command, workflow: 'refactor' });
    expect(status).toBe(400);
    expect(body.error).toContain('The agent "command" runs its prompt as a command');
    const ran = await commander.submit({ task: command, workflow: 'custom', options: { synchronous: true } });
    expect(ran.body).toMatchObject({ status: 'completed', result: { output: 'ran\n' } });

    await using byDefault = await startDaemon({ flags: { ...manyRequests, 'agents.default': 'command' } });
    const other = await gatewayClient(byDefault, { scopes: ['gateway:write', 'agents:command'] });
    const waits = await other.submit({ task: { title: 'echo ran' }, workflow: 'refactor' });
    expect(await other.status(waits.body.requestId ?? '')).toMatchObject({ status: 'pending' });
    const plain = await other.submit({
      task: { title: 'x', prompt: 'echo ran' },
      options: { synchronous: true },
    });
    expect(plain.body).toMatchObject({ status: 'completed' });
  });
});

describe('access to the gateway', () => {
  it('the gateway rejects a request without a token', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${daemon.url}/api/gateway`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ task }),
      });
    expect((await post({})).status).toBe(401);
    expect((await post(daemon.headers)).status).toBe(401);
    expect((await post({ authorization: 'Bearer svc_unknown' })).status).toBe(401);
  });

  const scopes: [Scope, number, number][] = [
    ['gateway:write', 202, 200],
    ['gateway:read', 403, 200],
    ['tasks:write', 403, 403],
  ];
  it.each(scopes)('the gateway checks the scope %s', async (scope, submit, read) => {
    const { body } = await gateway.submit({ task });
    const other = await gatewayClient(daemon, { scopes: [scope] });
    expect((await other.submit({ task })).status).toBe(submit);
    expect((await other.status(body.requestId ?? '')).httpStatus).toBe(read);
  });

  it('a token sees only the requests of its own user, even for an administrator', async () => {
    const ann = await addUser(daemon, 'ann');
    const root = await addUser(daemon, 'root', 'admin');
    const [one, two, admin] = [
      await gatewayClient(daemon, { caller: ann.caller }),
      await gatewayClient(daemon, { caller: ann.caller }),
      await gatewayClient(daemon, { caller: root.caller }),
    ];
    const { body } = await one.submit({ task });
    const { requestId = '' } = body;
    expect((await two.status(requestId)).httpStatus).toBe(200);
    for (const other of [admin, gateway]) expect((await other.status(requestId)).httpStatus).toBe(404);
    for (const unknown of ['req_unknown', body.taskId ?? '', "' or 1=1"])
      expect((await one.status(encodeURIComponent(unknown))).httpStatus).toBe(404);
    expect((await ann.client.tasks.list()).total).toBe(1);
  });

  it('a token runs commands only with the scope for it', async () => {
    const command = { title: 'Run', prompt: 'true', assignedAgent: 'command' };
    expect((await gateway.submit({ task: command })).status).toBe(403);
    const ann = await addUser(daemon, 'anna');
    await expect(
      gatewayClient(daemon, { caller: ann.caller, scopes: ['agents:command'] }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('invalid gateway requests', () => {
  const bodies: [string, object][] = [
    ['no task', {}],
    ['no title', { task: {} }],
    ['another workflow', { task, workflow: 'pray' }],
    ['no URL', { task, options: { notifyUrl: 'example.com' } }],
    ['another protocol', { task, options: { notifyUrl: 'file:///etc/passwd' } }],
    ['no time', { task, options: { timeout: 0 } }],
    ['a private address', { task, options: { notifyUrl: 'http://127.0.0.1/hook' } }],
    ['a private address in disguise', { task, options: { notifyUrl: 'http://0x7f.1/hook' } }],
    ['the metadata of a cloud', { task, options: { notifyUrl: 'http://169.254.169.254/' } }],
    ['a password in a URL', { task, options: { notifyUrl: 'https://me:secret@example.com/' } }],
    ['a prompt too long', { task: { ...task, prompt: 'x'.repeat(199_900) }, workflow: 'refactor' }],
  ];
  it.each(bodies)('an invalid request creates no task: %s', async (_, body) => {
    const before = await total();
    expect((await gateway.submit(body)).status).toBe(400);
    expect(await total()).toBe(before);
  });

  it('names the rejected address', async () => {
    const message =
      'Requests to 10.0.0.1 are not allowed: it is not a public address (outbound.allowPrivate)';
    const submitted = await gateway.submit({ task, options: { notifyUrl: 'http://10.0.0.1/h?key=secret' } });
    expect(submitted.body.details).toEqual([{ path: 'options.notifyUrl', message }]);
  });
});
