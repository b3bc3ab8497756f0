import { expect, it } from 'vitest';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { testAdapter, until } from '../../helpers/tasks.ts';

/** A task whose agent reports a usage limit, reset so many milliseconds after each run. */
async function limitedTask(resetsInMs: number, maxAttempts: number) {
  const agent = testAdapter(async () => {
    const resetsAt = Date.now() + resetsInMs;
    throw new AgentFailure('quota', 'usage_limit', 'The limit is used up', { resetsAt });
  });
  const daemon = await startDaemon({ extraAdapters: [agent] });
  const { client, app } = daemon;
  const body = { title: 'Ask', assignedAgent: 'test', maxAttempts };
  const { id } = (await client.tasks.create({ body })).task;
  const hasRun = async (times: number) => {
    const { events } = await client.tasks.listEvents({ params: { id } });
    expect(events.filter(({ type }) => type === 'deferred' || type === 'failed')).toHaveLength(times);
  };
  let runs = 1;
  return {
    /** The task after so many runs; what it waits for between them is over at once. */
    async after(times: number) {
      await until(() => hasRun(runs));
      while (runs < times) {
        await app.database.write(({ db }) =>
          db.updateTable('tasks').set({ scheduled_for: null }).where('id', '=', id).execute(),
        );
        await client.queue.pause();
        await client.queue.resume();
        runs++;
        await until(() => hasRun(runs));
      }
      return (await client.tasks.get({ params: { id } })).task;
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

it('a limit whose reset is ahead is waited for without an attempt, however often', async () => {
  await using task = await limitedTask(60_000, 1);
  expect(await task.after(5)).toMatchObject({ status: 'queued', attempts: 0 });
});

it('a reset of the past is believed once, and each further try is an attempt', async () => {
  await using task = await limitedTask(-60_000, 2);
  expect(await task.after(1)).toMatchObject({ status: 'queued', attempts: 0 });
  expect(await task.after(2)).toMatchObject({ status: 'queued', attempts: 1 });
  expect(await task.after(3)).toMatchObject({ status: 'failed', attempts: 2, error: { class: 'quota' } });
});
