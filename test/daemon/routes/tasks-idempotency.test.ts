import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let runs = 0;

beforeAll(async () => {
  const counting = testAdapter(async () => {
    runs++;
    return { output: 'done' };
  });
  daemon = await startDaemon({ extraAdapters: [counting] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function create(body: object, key?: string, headers: { cookie: string } = daemon.headers) {
  const response = await fetch(`${daemon.url}/api/tasks`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  const { status } = response;
  return { status, replay: response.headers.get('idempotent-replay'), body: await response.text() };
}
const total = async () => (await daemon.client.tasks.list()).total;

describe('the idempotency key of a task', () => {
  it.each(['header', 'body'])(
    'a repeated idempotency key returns the first task, from the %s',
    async (place) => {
      const key = `again-${place}`;
      const body = { title: 'Once', assignedAgent: 'test', labels: ['a'], metadata: { b: [1] } };
      const send = () => (place === 'header' ? create(body, key) : create({ ...body, idempotencyKey: key }));
      const before = await total();
      const first = await send();
      expect(first).toMatchObject({ status: 201, replay: null });
      const { task } = JSON.parse(first.body) as { task: { id: string; idempotencyKey: string } };
      expect(task.idempotencyKey).toBe(key);
      // The task has moved on; the answer has not.
      await follow(daemon.client, task.id);
      const second = await send();
      expect(second).toEqual({ status: 200, replay: 'true', body: first.body });
      expect(await total()).toBe(before + 1);
    },
  );

  it('an idempotency key is the same in the header and in the body', async () => {
    const first = await create({ title: 'Either' }, 'either');
    const second = await create({ title: 'Either', idempotencyKey: 'either' });
    expect(second).toEqual({ status: 200, replay: 'true', body: first.body });
  });

  it('an idempotency key in the header overrides one in the body', async () => {
    const { body } = await create({ title: 'Both', idempotencyKey: 'from-body' }, 'from-header');
    expect(JSON.parse(body)).toMatchObject({ task: { idempotencyKey: 'from-header' } });
  });

  it('the comparison of bodies ignores defaults and unknown keys', async () => {
    const first = await create({ title: 'Plain' }, 'plain');
    const second = await create(
      { title: '  Plain ', priority: 3, source: 'api', labels: [], unknown: 1 },
      'plain',
    );
    expect(second).toEqual({ status: 200, replay: 'true', body: first.body });
  });

  it('an idempotency key with another body is a conflict', async () => {
    await create({ title: 'One' }, 'conflict');
    const before = await total();
    for (const body of [{ title: 'Two' }, { title: 'One', priority: 1 }, { title: 'One', metadata: {} }]) {
      const { status, body: answer } = await create(body, 'conflict');
      expect(status).toBe(409);
      expect(JSON.parse(answer)).toEqual({ error: 'This idempotency key was used with another body' });
    }
    expect(await total()).toBe(before);
  });

  it('fifty simultaneous requests with one key create one task, which runs once', async () => {
    const before = await total();
    const ran = runs;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => create({ title: 'Fifty', assignedAgent: 'test' }, 'fifty')),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, replay }) => status === 200 && replay === 'true')).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await total()).toBe(before + 1);
    const { task } = JSON.parse(answers[0]?.body ?? '') as { task: { id: string } };
    await follow(daemon.client, task.id);
    expect(runs).toBe(ran + 1);
  });

  it('fifty simultaneous requests with one key and different bodies create one task', async () => {
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create({ title: `Body ${index}` }, 'fifty bodies')),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(await total()).toBe(before + 1);
  });

  it('the idempotency keys of two users are independent', async () => {
    const ann = await addUser(daemon, 'ann');
    const bob = await addUser(daemon, 'bob');
    const answers = [];
    for (const headers of [daemon.headers, ann.headers, bob.headers])
      answers.push(await create({ title: 'Mine' }, 'shared', headers));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await create({ title: 'Mine' }, 'shared', ann.headers)).body).toBe(answers[1]?.body);
    expect((await create({ title: 'Other' }, 'shared', bob.headers)).status).toBe(409);
    expect((await ann.client.tasks.list()).total).toBe(1);
  });

  it('a rejected body does not use up its idempotency key', async () => {
    expect((await create({ title: '' }, 'refused')).status).toBe(400);
    expect((await create({ title: 'Now' }, 'refused')).status).toBe(201);
  });

  it('an idempotency key survives a restart', async () => {
    const first = await startDaemon();
    const body = { title: 'Stays', idempotencyKey: 'stays' };
    const { task } = await first.client.tasks.create({ body });
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect((await second.client.tasks.create({ body })).task.id).toBe(task.id);
    expect((await second.client.tasks.list()).total).toBe(1);
  });
});

describe('a task without an idempotency key', () => {
  it('creates a task for each request without an idempotency key', async () => {
    const before = await total();
    const [first, second] = [await create({ title: 'Same' }), await create({ title: 'Same' })];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await total()).toBe(before + 2);
  });
});
