import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InboundWorld, startInbound, type WorkRequest } from './inbound-parts.ts';

let world: InboundWorld;
let count = 0;
/** A content key of the test's own. */
let contentKey: string;
beforeAll(async () => {
  world = await startInbound();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => {
  contentKey = `key-${++count}`;
});

const receive = (input: WorkRequest, options?: Parameters<InboundWorld['receive']>[1]) =>
  world.receive(input, options);
const end = (id = '') => world.daemon.client.tasks.cancel({ params: { id } });
const entry = async (id: string) => (await world.inbound.get(id)).delivery;
const tasks = async () => (await world.daemon.client.tasks.filter({ query: { limit: 1 } })).total;
const setRules = (rules: Record<string, unknown> | null) =>
  world.daemon.client.config.update({
    params: { key: 'webhooks.github.rules' },
    body: { value: rules as never },
  });

describe('the same delivery again', () => {
  it('creates no second task for a repeated delivery, even after the first task has finished', async () => {
    const first = await receive({ contentKey }, { id: contentKey });
    expect(first.status).toBe('accepted');
    const again = { ...first, status: 'duplicate', reason: 'This delivery was received before' };
    expect(await receive({ contentKey }, { id: contentKey })).toEqual(again);
    await end(first.taskId);
    expect(await receive({ contentKey }, { id: contentKey })).toEqual(again);
    expect(await entry(first.id)).toMatchObject({ status: 'accepted', copies: 3, taskId: first.taskId });
  });

  it('recognizes a repeated delivery by its bytes under a different id', async () => {
    const first = await receive({ contentKey }, { salt: contentKey });
    await end(first.taskId);
    expect(await receive({ contentKey }, { salt: contentKey })).toEqual({
      ...first,
      status: 'duplicate',
      reason: 'This delivery was received before',
    });
    expect(await entry(first.id)).toMatchObject({ copies: 2 });
  });

  it('recognizes a repeated delivery by its id with different bytes', async () => {
    const first = await receive({ contentKey }, { id: contentKey, salt: 'one' });
    await end(first.taskId);
    const again = await receive({ contentKey }, { id: contentKey, salt: 'two' });
    expect(again).toMatchObject({ status: 'duplicate', id: first.id, taskId: first.taskId });
  });

  it('treats the same delivery id of another provider as a different delivery', async () => {
    const first = await receive({ contentKey }, { id: contentKey });
    const other = await receive({ contentKey }, { id: contentKey, provider: 'jira' });
    expect([first.status, other.status]).toEqual(['accepted', 'accepted']);
    expect(other.taskId).not.toBe(first.taskId);
  });

  it('uses the hash of the body as the delivery id if the sender gives no valid one', async () => {
    for (const id of ['', 'é', 'x'.repeat(201), 'two words']) {
      const { id: entryId } = await receive({ contentKey: `${contentKey}${id}` }, { id });
      expect((await entry(entryId)).deliveryId).toMatch(/^sha256:[\da-f]{64}$/);
    }
  });
});

describe('another delivery of the same work', () => {
  it('creates no second task for the same work while the first is unfinished', async () => {
    const first = await receive({ contentKey });
    const second = await receive({ contentKey });
    expect(second).toEqual({
      status: 'duplicate',
      reason: 'Its task has not finished yet',
      taskId: first.taskId,
      id: expect.any(String),
    });
    expect(second.id).not.toBe(first.id);
    expect(await entry(second.id)).toMatchObject({ status: 'duplicate', copies: 1 });
  });

  it('creates a new task for the same work after the first has finished, and dedupes by the new one', async () => {
    const first = await receive({ contentKey });
    await end(first.taskId);
    const second = await receive({ contentKey });
    expect(second.status).toBe('accepted');
    expect(second.taskId).not.toBe(first.taskId);
    expect(await receive({ contentKey })).toMatchObject({ status: 'duplicate', taskId: second.taskId });
  });

  it('creates no task when a duplicate is delivered again later', async () => {
    const first = await receive({ contentKey });
    const second = await receive({ contentKey }, { id: `${contentKey}-2` });
    await end(first.taskId);
    expect(await receive({ contentKey }, { id: `${contentKey}-2` })).toEqual({
      ...second,
      reason: 'This delivery was received before',
    });
  });

  it('creates another task for work with another key', async () => {
    const first = await receive({ contentKey });
    const second = await receive({ contentKey: `${contentKey} comment 2` });
    expect(second.status).toBe('accepted');
    expect(second.taskId).not.toBe(first.taskId);
  });

  it('creates one task from a thousand concurrent deliveries', async () => {
    const before = await tasks();
    const answers = await Promise.all(Array.from({ length: 1000 }, () => receive({ contentKey })));
    expect(answers.filter(({ status }) => status === 'accepted')).toHaveLength(1);
    expect(new Set(answers.map(({ taskId }) => taskId)).size).toBe(1);
    expect(await tasks()).toBe(before + 1);
  });
});

describe('a delivery that was ignored', () => {
  it('evaluates an ignored delivery again by the current rules when it is repeated', async () => {
    await setRules({ closed: { enabled: false } });
    const input = { contentKey, place: 'closed' };
    const first = await receive(input, { id: contentKey });
    expect(first).toEqual({ status: 'ignored', reason: 'It asks for nothing', id: expect.any(String) });
    expect(await receive(input, { id: contentKey })).toEqual({ ...first, status: 'duplicate' });
    await setRules(null);
    const again = await receive(input, { id: contentKey });
    expect(again).toEqual({ status: 'accepted', taskId: expect.any(String), id: first.id });
    expect(await entry(first.id)).toMatchObject({ status: 'accepted', taskId: again.taskId, copies: 3 });
    expect(await entry(first.id)).not.toHaveProperty('reason');
    expect(await receive(input, { id: contentKey })).toMatchObject({
      status: 'duplicate',
      taskId: again.taskId,
    });
  });

  it('updates the reason of an ignored delivery when it is repeated', async () => {
    await receive({ ignored: 'First reason' }, { id: contentKey });
    const again = await receive({ ignored: 'Second reason' }, { id: contentKey });
    expect(again).toMatchObject({ status: 'duplicate', reason: 'Second reason' });
    expect(await entry(again.id)).toMatchObject({ status: 'ignored', reason: 'Second reason' });
  });
});

describe('work on a branch of ours', () => {
  it('ignores work on a branch unless a task has that repository and branch', async () => {
    const input = { contentKey, needsTaskBranch: true, repository: `octo/${contentKey}`, branch: 'fix' };
    expect(await receive(input)).toMatchObject({ status: 'ignored', reason: 'No task has this branch' });
    const { repository } = input;
    await world.daemon.client.tasks.create({ body: { title: 'x', repository, branch: 'other' } });
    await world.daemon.client.tasks.create({ body: { title: 'x', repository: 'octo/other', branch: 'fix' } });
    expect(await receive(input)).toMatchObject({ status: 'ignored' });
    await world.daemon.client.tasks.create({ body: { title: 'x', repository, branch: 'fix' } });
    expect(await receive(input)).toMatchObject({ status: 'accepted' });
  });
});

describe('the source of a task', () => {
  const target = { provider: 'github', repository: 'octo/hello', number: 7 } as const;

  it('registers a progress comment at the source on behalf of the owner', async () => {
    const { taskId } = await receive({ contentKey, target });
    expect(world.comments.filter((comment) => comment.taskId === taskId)).toEqual([
      { taskId, ownerId: 'user_owner', target },
    ]);
  });

  it('registers no progress comment if a rule disables comments or no task is created', async () => {
    const before = world.comments.length;
    await setRules({ quiet: { comments: false } });
    const { taskId } = await receive({ contentKey, target, place: 'quiet' });
    await setRules(null);
    await receive({ contentKey, target });
    expect(taskId).toEqual(expect.any(String));
    expect(world.comments).toHaveLength(before);
  });
});

describe('a delivery of Linear that is too old', () => {
  const MINUTE = 60_000;
  const send = (age: number, input: WorkRequest = { contentKey }) =>
    world.receive({ ...input, webhookTimestamp: Date.now() - age }, { id: contentKey, provider: 'linear' });
  const log = async () => {
    const { deliveries } = await world.inbound.list({ provider: 'tracker_b', limit: 500, offset: 0 });
    return deliveries.filter(({ deliveryId }) => deliveryId === contentKey);
  };

  it('refuses a late delivery and logs it once for all copies', async () => {
    const before = await tasks();
    for (let copy = 1; copy <= 3; copy++)
      await expect(send(10 * MINUTE)).rejects.toMatchObject({
        code: 'forbidden',
        message: 'Invalid webhook signature',
      });
    expect(await log()).toMatchObject([
      {
        status: 'refused',
        reason: expect.stringMatching(/signed \d+ minutes ago/),
        copies: 3,
        canReplay: true,
      },
    ]);
    expect(await tasks()).toBe(before);
  });

  it('accepts a late delivery that is signed again', async () => {
    await expect(send(10 * MINUTE)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await send(0)).toMatchObject({ status: 'accepted' });
    expect(await log()).toMatchObject([{ status: 'accepted', copies: 2 }]);
  });

  it('does not change the outcome of a timely delivery when a late copy arrives', async () => {
    const first = await send(0);
    expect(await send(10 * MINUTE)).toMatchObject({ status: 'duplicate', taskId: first.taskId });
    expect(await log()).toMatchObject([{ status: 'accepted', copies: 2 }]);
  });

  it('refuses a late copy of an ignored delivery and keeps its entry', async () => {
    await send(0, { ignored: 'It asks for nothing' });
    await expect(send(10 * MINUTE, { ignored: 'Else' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await log()).toMatchObject([{ status: 'ignored', reason: 'It asks for nothing', copies: 2 }]);
  });

  it('accepts a late delivery by manual replay', async () => {
    await expect(send(10 * MINUTE)).rejects.toMatchObject({ code: 'forbidden' });
    const [late] = await log();
    const caller = { userId: 'user_owner', role: 'admin' } as const;
    const replayed = await world.inbound.replay(caller, late?.id ?? '', { address: '127.0.0.1' });
    expect(replayed).toMatchObject({ status: 'accepted' });
  });
});
