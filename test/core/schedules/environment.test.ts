import { describe, expect, it } from 'vitest';
import { updateScheduleSchema } from '../../../src/contract/schedules.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { ada, ann, daily, openScheduleWorld, type ScheduleWorld } from './schedule-world.ts';

const task = { ...daily.task, assignedAgent: 'command', prompt: 'npm publish' };
const token = (scopes: ('tasks:write' | 'agents:command')[]): Caller => ({
  userId: ada.userId,
  role: 'user',
  token: { id: 'token_1', scopes },
});

/** The variables that the next task gets. */
async function nextVariables(world: ScheduleWorld, id: string) {
  await world.toNext(id);
  const row = await world.storage.database.read
    .selectFrom('tasks')
    .select(['owner_id', 'env', 'env_names'])
    .where('source_id', '=', id)
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow();
  return { names: row.env_names, variables: world.environments.read(row) };
}

describe('the environment of a schedule', () => {
  it('is sealed, shown by its names, and given to every task', async () => {
    await using world = await openScheduleWorld();
    const schedule = await world.add({ task: { ...task, env: { TOKEN: 's3cret', A: '1' } } }, ada);
    expect(schedule.task).toMatchObject({ envNames: ['A', 'TOKEN'] });
    expect(JSON.stringify(schedule)).not.toContain('s3cret');
    expect(JSON.stringify(await world.find(schedule.id))).not.toContain('s3cret');
    const given = { names: '["A","TOKEN"]', variables: { A: '1', TOKEN: 's3cret' } };
    expect(await nextVariables(world, schedule.id)).toEqual(given);
    await world.endTask((await world.find(schedule.id)).open_task_id ?? '');
    expect(await nextVariables(world, schedule.id)).toEqual(given);
  });

  it('keeps what a change does not name, and loses what the change sets to null', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ task: { ...task, env: { KEPT: 'k', CHANGED: 'c', LOST: 'l' } } }, ada);
    const change = updateScheduleSchema.parse({
      task: { ...task, prompt: 'npm test', env: { CHANGED: 'd', LOST: null, NEW: 'n' } },
    });
    expect((await world.schedules.change(ada, id, change)).task).toMatchObject({
      prompt: 'npm test',
      envNames: ['CHANGED', 'KEPT', 'NEW'],
    });
    await world.schedules.change(ada, id, { task: { ...task, title: 'Other' } });
    await world.schedules.change(ada, id, { name: 'Renamed' });
    expect((await nextVariables(world, id)).variables).toEqual({ KEPT: 'k', CHANGED: 'd', NEW: 'n' });
    const none = { KEPT: null, CHANGED: null, NEW: null };
    expect((await world.schedules.change(ada, id, { task: { ...task, env: none } })).task).not.toHaveProperty(
      'envNames',
    );
    expect(await world.find(id)).toMatchObject({ env: null, env_names: null });
  });

  it('has room for as many variables as a task', async () => {
    await using world = await openScheduleWorld();
    const many = (from: number) =>
      Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`V${from + n}`, 'x']));
    const { id } = await world.add({ task: { ...task, env: many(0) } }, ada);
    await expect(
      world.schedules.change(ada, id, { task: { ...task, env: many(150) } }),
    ).rejects.toMatchObject({
      details: [{ path: 'task.env', message: 'Expected at most 200 variables' }],
    });
  });

  it('needs the right to run commands, also for changes of the task that gets it', async () => {
    await using world = await openScheduleWorld();
    const env = { TOKEN: 's3cret' };
    const harmless = { ...daily.task, assignedAgent: 'test' };
    await expect(world.add({ task: { ...harmless, env } }, ann)).rejects.toMatchObject({ code: 'forbidden' });
    const { id } = await world.add({ task: { ...task, env } }, ada);
    const weak = token(['tasks:write']);
    for (const change of [{ task: harmless }, { task: { ...harmless, env } }, { cron: '* * * * *' }])
      await expect(world.schedules.change(weak, id, change)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(world.schedules.run(weak, id)).rejects.toMatchObject({ code: 'forbidden' });
    const strong = token(['tasks:write', 'agents:command']);
    expect((await world.schedules.change(strong, id, { task })).task).toMatchObject({ envNames: ['TOKEN'] });
  });

  it('is not given to a schedule of a user without that right, nor kept running once the right is lost', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({}, ann);
    const env = { TOKEN: 's3cret' };
    await expect(world.schedules.change(ada, id, { task: { ...daily.task, env } })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const own = await world.add({ task: { ...daily.task, env } }, ada);
    await world.setUser(ada.userId, { role: 'user' });
    await world.toNext(own.id);
    expect(await world.find(own.id)).toMatchObject({
      status: 'paused',
      paused_reason: 'Its owner may no longer run commands',
    });
    expect(await world.tasksOf(own.id)).toEqual([]);
  });
});
