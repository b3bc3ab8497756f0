import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/core/auth/caller.ts';
import { type InboundWorld, startInbound, type WorkRequest } from './inbound-parts.ts';

const caller: Caller = { userId: 'user_owner', role: 'admin' };
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

const receive = (input: WorkRequest, id = contentKey) => world.receive(input, { id });
const replay = (id: string) => world.inbound.replay(caller, id, { address: '203.0.113.9' });
const end = (id = '') => world.daemon.client.tasks.cancel({ params: { id } });
const entry = async (id: string) => (await world.inbound.get(id)).delivery;
const close = (isClosed: boolean) =>
  world.daemon.client.config.update({
    params: { key: 'webhooks.github.rules' },
    body: { value: isClosed ? { closed: { enabled: false } } : null },
  });

describe('a replay', () => {
  it('creates a task from an ignored delivery on replay, with a separate entry', async () => {
    await close(true);
    const first = await receive({ contentKey, place: 'closed' });
    expect(await replay(first.id)).toMatchObject({ status: 'ignored' });
    await close(false);
    const replayed = await replay(first.id);
    expect(replayed.status).toBe('accepted');
    expect(await entry(replayed.id)).toMatchObject({
      status: 'accepted',
      replayOf: first.id,
      deliveryId: contentKey,
      taskId: replayed.taskId,
      event: 'issues',
      copies: 1,
    });
    const original = await entry(first.id);
    expect(original).toMatchObject({ status: 'ignored', copies: 1 });
    expect(original).not.toHaveProperty('replayOf');
  });

  it('repeats work on replay only after its task has finished', async () => {
    const first = await receive({ contentKey });
    expect(await replay(first.id)).toMatchObject({ status: 'duplicate', taskId: first.taskId });
    await end(first.taskId);
    const second = await replay(first.id);
    expect(second.status).toBe('accepted');
    expect(second.taskId).not.toBe(first.taskId);
  });

  it('recognizes a delivery that the sender repeats after a replay', async () => {
    await close(true);
    const first = await receive({ contentKey, place: 'closed' });
    await close(false);
    const { taskId } = await replay(first.id);
    await end(taskId);
    expect(await receive({ contentKey, place: 'closed' })).toEqual({
      status: 'duplicate',
      reason: 'This delivery was received before',
      taskId,
      id: first.id,
    });
  });

  it('replays a replay', async () => {
    const first = await receive({ contentKey });
    await end(first.taskId);
    const second = await replay(first.id);
    await end(second.taskId);
    expect(await replay(second.id)).toMatchObject({ status: 'accepted' });
  });

  it('records a replay and its caller in the audit log', async () => {
    const first = await receive({ contentKey });
    await replay(first.id);
    const { entries } = await world.daemon.client.audit.list({
      query: { tool: 'webhooks.replayed', limit: 1 },
    });
    expect(entries).toMatchObject([
      {
        kind: 'security',
        userId: 'user_owner',
        address: '203.0.113.9',
        taskId: first.taskId,
        arguments: { delivery: first.id, provider: 'codehost' },
        result: 'duplicate',
      },
    ]);
    expect(await world.daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('rejects the replay of an unknown delivery', async () => {
    await expect(replay('inb_none')).rejects.toMatchObject({ code: 'not_found' });
  });
});
