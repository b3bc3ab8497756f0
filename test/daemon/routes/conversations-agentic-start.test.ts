import { isPro } from '../../helpers/pro.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { allOf } from '../../helpers/all-of.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { type ModelServer, says } from '../../helpers/model-server.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon({ flags: { 'queue.interactiveConcurrency': 2 } }));
});
beforeEach(() => {
  model.script = says('Hello');
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const begin = async () => (await daemon.client.conversations.create({ body: {} })).conversation.id;
const send = (id: string) =>
  daemon.client.conversations.sendAgenticMessageStream({ params: { id }, body: { content: 'Do it' } });
const messagesOf = async (id: string) => (await daemon.client.conversations.get({ params: { id } })).messages;
const taskIdOf = (events: RunEvent[]) => {
  const [first] = events;
  if (first?.type !== 'user_message' || first.data.taskId === undefined)
    throw new Error('no task came first');
  return first.data.taskId;
};
/** The first event of a turn that continues without its reader. */
async function acknowledged(id: string): Promise<RunEvent[]> {
  for await (const { data } of send(id)) return [data];
  throw new Error('the stream had no event');
}
/** A model that answers on demand. */
function holdModel() {
  const held = Promise.withResolvers<void>();
  model.script = async (...args) => {
    await held.promise;
    await says('Hello')(...args);
  };
  return held;
}

describe('the start of an agentic turn', () => {
  it('is one commit, with message, task, claim and run, before the model is asked', async () => {
    const id = await begin();
    const { database, bus } = daemon.app;
    const before = database.commits();
    const commits: number[] = [];
    const unsubscribe = bus.on('task', ({ event }) => {
      if (event.type === 'started') commits.push(database.commits() - before);
    });
    model.script = async (...args) => {
      const run = await database.read
        .selectFrom('agent_runs')
        .innerJoin('tasks', 'tasks.id', 'agent_runs.task_id')
        .innerJoin('messages', 'messages.conversation_id', 'agent_runs.conversation_id')
        .select([
          'messages.role',
          'tasks.status',
          'tasks.attempts',
          'tasks.fence',
          'tasks.agent_type',
          'tasks.lease_until',
        ])
        .where('agent_runs.conversation_id', '=', id)
        .executeTakeFirst();
      expect
        .soft(run)
        .toMatchObject({ role: 'user', status: 'in_progress', attempts: 1, fence: 1, agent_type: 'builtin' });
      expect.soft(run?.lease_until).toEqual(expect.any(String));
      await says('Hello')(...args);
    };
    const events = await allOf(send(id));
    unsubscribe();
    expect(commits).toEqual([1]);
    expect(events[0]?.type).toBe('user_message');
    expect((await messagesOf(id)).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Do it'],
      ['assistant', 'Hello'],
    ]);
  });

  it('stores the events of its task in order and without gaps, from its creation to its end', async () => {
    const taskId = taskIdOf(await allOf(send(await begin())));
    await vi.waitFor(async () => {
      const { task } = await daemon.client.tasks.get({ params: { id: taskId } });
      expect(task.status).toBe('completed');
    }, 20_000);
    const rows = await daemon.app.database.read
      .selectFrom('task_events')
      .innerJoin('tasks', 'tasks.seq', 'task_events.task_seq')
      .select(['task_events.seq', 'task_events.type'])
      .where('tasks.id', '=', taskId)
      .orderBy('task_events.seq')
      .execute();
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.slice(0, 3).map(({ type }) => type)).toEqual(['created', 'queued', 'started']);
    expect(rows.at(-1)?.type).toBe('completed');
  });

  it('stores nothing and asks no model where the commit fails, and gives its slot back', async () => {
    const run = (text: string) => daemon.app.database.write(({ db }) => sql.raw(text).execute(db));
    const ids = [await begin(), await begin(), await begin()];
    if (isPro) {
      await run(
        "create function no() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
      );
      await run('create trigger no_runs before insert on agent_runs for each row execute function no()');
    } else
      await run("create trigger no_runs before insert on agent_runs begin select raise(abort, 'no'); end");
    for (const id of ids) await expect(allOf(send(id))).rejects.toThrow();
    await run(isPro ? 'drop trigger no_runs on agent_runs' : 'drop trigger no_runs');
    expect(model.asked).toEqual([]);
    for (const id of ids) expect(await messagesOf(id)).toEqual([]);
    const events = await allOf(send(ids[0] ?? ''));
    expect(events.at(-1)?.type).toBe('message_saved');
  });

  it('waits in the queue where no slot is free, with its message stored', async () => {
    const held = holdModel();
    const ids = [await begin(), await begin(), await begin()];
    const tasks: string[] = [];
    for (const id of ids) tasks.push(taskIdOf(await acknowledged(id)));
    const statuses = await Promise.all(
      tasks.map(async (id) => (await daemon.client.tasks.get({ params: { id } })).task.status),
    );
    expect(statuses).toEqual(['in_progress', 'in_progress', 'queued']);
    expect(await messagesOf(ids[2] ?? '')).toMatchObject([{ role: 'user', content: 'Do it' }]);
    held.resolve();
    await vi.waitFor(async () => {
      for (const id of ids) expect((await messagesOf(id)).at(-1)?.content).toBe('Hello');
    }, 20_000);
  });

  it('can be cancelled as soon as its task is known, and asks the model nothing more', async () => {
    const held = holdModel();
    const id = await begin();
    const taskId = taskIdOf(await acknowledged(id));
    await daemon.client.tasks.cancel({ params: { id: taskId } });
    held.resolve();
    await vi.waitFor(async () => expect((await messagesOf(id)).at(-1)?.status).toBe('interrupted'), 20_000);
    const { task } = await daemon.client.tasks.get({ params: { id: taskId } });
    expect(task.status).toBe('cancelled');
  });

  it('waits while the queue is paused', async () => {
    await daemon.client.queue.pause();
    const id = await begin();
    const taskId = taskIdOf(await acknowledged(id));
    expect((await daemon.client.tasks.get({ params: { id: taskId } })).task.status).toBe('queued');
    expect(model.asked).toEqual([]);
    await daemon.client.queue.resume();
    await vi.waitFor(async () => expect((await messagesOf(id)).at(-1)?.content).toBe('Hello'), 20_000);
  });
});
