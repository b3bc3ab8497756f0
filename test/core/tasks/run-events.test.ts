import { describe, expect, it, vi } from 'vitest';
import { RunEvents } from '../../../src/core/tasks/run-events.ts';
import type { NewEvent } from '../../../src/core/tasks/new-event.ts';
import { insertTasks, newTask, openStorage } from '../../helpers/storage.ts';

const now = new Date('2026-02-03T04:05:06.789Z');
const event = (message: string): NewEvent => ({ type: 'progress', message });

/** The events of a claimed task, stored when `write` is called. */
async function claimed() {
  const storage = await openStorage();
  await insertTasks(storage, [newTask('task_1', { status: 'queued' })]);
  const { database, store } = storage;
  const queued = await store.findHead('task_1');
  if (!queued) throw new Error('There is no task');
  const head = await database.write((transaction) =>
    store.move(transaction, queued, 'claim', now, { fence: 1 }, [event('claimed')]),
  );
  if (!head) throw new Error('The task was not claimed');
  let next = Promise.withResolvers<void>();
  const onLost = vi.fn<() => void>();
  const events = new RunEvents(head, {
    database,
    store,
    now: () => now,
    nextWrite: () => next.promise,
    onLost,
  });
  const stored = async () => {
    const rows = await database.read
      .selectFrom('task_events')
      .select(['seq', 'message'])
      .where('task_seq', '=', head.seq)
      .orderBy('seq')
      .execute();
    return rows.slice(-4).map(({ seq, message }) => ({ seq, message }));
  };
  const write = () => {
    next.resolve();
    next = Promise.withResolvers();
  };
  return { storage, events, head, stored, write, onLost };
}

describe('the events of a run', () => {
  it('are stored in one commit at the next moment, without gaps', async () => {
    const { storage, events, head, stored, write } = await claimed();
    const before = storage.database.commits();
    for (const message of ['a', 'b', 'c']) events.add(event(message));
    expect(storage.database.commits()).toBe(before);
    write();
    await vi.waitFor(
      async () =>
        expect(await stored()).toEqual(
          ['claimed', 'a', 'b', 'c'].map((message, index) => ({ seq: head.event_seq + index, message })),
        ),
      20_000,
    );
    expect(storage.database.commits()).toBe(before + 1);
  });

  it('that come while others are stored follow at the moment after', async () => {
    const { events, head, stored, write } = await claimed();
    events.add(event('a'));
    write();
    await vi.waitFor(async () => expect((await stored()).at(-1)?.message).toBe('a'), 20_000);
    events.add(event('b'));
    // The commit of the first may be seen before its writer hears of it, who then waits for another moment.
    await vi.waitFor(async () => {
      write();
      expect((await stored()).at(-1)).toEqual({ seq: head.event_seq + 2, message: 'b' });
    }, 20_000);
  });

  it('come before what follows them', async () => {
    const { events, stored, write } = await claimed();
    const order: string[] = [];
    events.afterStored(() => order.push('at once'));
    events.add(event('a'));
    events.afterStored(() => order.push('after a'));
    expect(order).toEqual(['at once']);
    write();
    await vi.waitFor(() => expect(order).toEqual(['at once', 'after a']), 20_000);
    expect((await stored()).at(-1)?.message).toBe('a');
    events.add(event('b'));
    events.afterStored(() => order.push('after b'));
    expect(await events.finish()).toEqual([]);
    expect(order.at(-1)).toBe('after b');
    expect((await stored()).at(-1)?.message).toBe('b');
  });

  it('that no moment has come for are answered at the end, for the transaction of the outcome', async () => {
    const { storage, events, write } = await claimed();
    const before = storage.database.commits();
    events.add(event('a'));
    expect(await events.finish()).toEqual([{ ...event('a'), at: '2026-02-03T04:05:06.789Z' }]);
    events.add(event('too late'));
    write();
    await storage.database.write(async () => undefined);
    expect(storage.database.commits()).toBe(before + 1);
    expect(await events.finish()).toEqual([{ ...event('a'), at: '2026-02-03T04:05:06.789Z' }]);
  });

  it('are all stored where thousands come at once', async () => {
    const { events, head, stored, write } = await claimed();
    for (let number = 1; number <= 3000; number++) events.add(event(`${number}`));
    await vi.waitFor(async () => {
      write();
      expect((await stored()).at(-1)).toEqual({ seq: head.event_seq + 3000, message: '3000' });
    }, 20_000);
  });

  it('are dropped once the claim is over, which is reported once', async () => {
    const { storage, events, head, stored, write, onLost } = await claimed();
    await storage.database.write((transaction) =>
      storage.store.move(transaction, head, 'cancel', now, {}, [event('cancelled')]),
    );
    events.add(event('late'));
    write();
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledTimes(1), 20_000);
    events.add(event('later'));
    write();
    expect((await stored()).at(-1)?.message).toBe('cancelled');
  });
});
