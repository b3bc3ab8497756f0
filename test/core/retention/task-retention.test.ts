import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/contract/task.ts';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import type { App } from '../../../src/core/app.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, heldAdapter, testAdapter } from '../../helpers/tasks.ts';

const DAY_MS = 86_400_000;

async function startWorld(adapter = testAdapter(async () => ({ output: 'done' }))) {
  let offset = 0;
  const runtime = { ...systemRuntime, now: () => new Date(Date.now() + offset) };
  const daemon = await startDaemon({ runtime, extraAdapters: [adapter] });
  const { client, app } = daemon;
  return {
    daemon,
    app,
    client,
    async finish() {
      const { task } = await client.tasks.create({ body: { title: 'A', assignedAgent: 'test' } });
      return (await follow(client, task.id)).task;
    },
    later: (days: number) => (offset += days * DAY_MS),
    removeOld: () => app.retention.removeOld(),
    total: async () => (await client.tasks.list()).total,
    events: async (id: string) => (await client.tasks.listEvents({ params: { id } })).count,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

const row = (app: App, statement: ReturnType<typeof sql>) =>
  app.database.write(({ db }) => statement.execute(db));

describe('the retention of tasks', () => {
  it('removes events 30 days after the end of their task, and the task after 90', async () => {
    await using world = await startWorld();
    const { id } = await world.finish();
    world.later(29);
    await world.removeOld();
    expect(await world.events(id)).toBeGreaterThan(2);
    world.later(2);
    await world.removeOld();
    expect(await world.events(id)).toBe(0);
    expect((await world.client.tasks.get({ params: { id } })).task.result).toMatchObject({ output: 'done' });
    world.later(58);
    await world.removeOld();
    expect(await world.total()).toBe(1);
    world.later(2);
    await world.removeOld();
    expect(await world.total()).toBe(0);
  });

  it('keeps forever what is set to 0', async () => {
    await using world = await startWorld();
    for (const key of ['retention.tasksDays', 'retention.taskEventsDays'])
      await world.client.config.update({ params: { key }, body: { value: 0 } });
    const { id } = await world.finish();
    world.later(4000);
    await world.removeOld();
    expect(await world.events(id)).toBeGreaterThan(2);
  });

  it('never removes a task that is unfinished, however old', async () => {
    const held = heldAdapter();
    await using world = await startWorld(held.adapter);
    const { task } = await world.client.tasks.create({ body: { title: 'A', assignedAgent: 'test' } });
    await held.started(0);
    world.later(1000);
    await world.removeOld();
    expect(await world.events(task.id)).toBeGreaterThan(2);
  });

  const ties: [string, (id: string) => ReturnType<typeof sql>, ReturnType<typeof sql>][] = [
    [
      'an approval of it is pending',
      (
        id,
      ) => sql`insert into approvals (id, run_id, call_id, owner_id, task_id, scope_id, tool, arguments, cwd, danger,
        reason, binding, status, requested_at, expires_at)
        values ('a', 'r', 'c', 'user_owner', ${id}, ${id}, 't', '{}', '/', 'd', 'r', 'b', 'pending', '2020', '2999')`,
      sql`update approvals set status = 'denied'`,
    ],
    [
      'its notification is to be delivered',
      (id) => sql`insert into notify_deliveries (id, request_id, task_id, token_id, url, status, created_at)
        values ('n', 'r', ${id}, 't', 'https://example.com', 'due', '2020')`,
      sql`update notify_deliveries set ended_at = '2999'`,
    ],
    [
      'the comment at its source is to be written',
      (id) => sql`insert into source_comments (task_id, provider, owner_id, target, created_at)
        values (${id}, 'codehost', 'user_owner', '{}', '2020')`,
      sql`update source_comments set ended_at = '2999'`,
    ],
    [
      'its schedule has not recorded its outcome',
      (
        id,
      ) => sql`insert into schedules (id, owner_id, name, timezone, task, may_command, overlap, catch_up, max_failures,
        status, planned_at, open_task_id, created_at, updated_at)
        values ('s', 'user_owner', 'n', 'UTC', '{}', 0, 'skip', 'skip', 5, 'active', '2020', ${id}, '2020', '2020')`,
      sql`update schedules set open_task_id = null`,
    ],
  ];
  it.each(ties)('keeps a finished task while %s', async (_, tie, untie) => {
    await using world = await startWorld();
    const { id } = await world.finish();
    await row(world.app, tie(id));
    world.later(200);
    await world.removeOld();
    expect(await world.total()).toBe(1);
    await row(world.app, untie);
    await world.removeOld();
    expect(await world.total()).toBe(0);
  });

  it('keeps a failed task and its dead letter for a year, and then removes both', async () => {
    await using world = await startWorld(failingAdapter('invalid_input'));
    await world.finish();
    world.later(364);
    await world.removeOld();
    expect(await world.total()).toBe(1);
    world.later(2);
    await world.removeOld();
    expect(await world.total()).toBe(0);
    expect((await world.client.dlq.list({ query: { status: 'all' } })).total).toBe(0);
  });

  it('takes a long backlog in steps, each a transaction of bounded size', async () => {
    await using world = await startWorld();
    const finished = '2020-01-01T00:00:00.000Z';
    await row(
      world.app,
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500)
        insert into tasks (seq, id, owner_id, title, status, priority, source, labels, max_attempts, created_at,
          updated_at, completed_at, event_seq)
        select 1000 + i, 'task_' || i, 'user_owner', 'old', 'cancelled', 3, 'api', '[]', 1, ${finished}, ${finished},
          ${finished}, 2 from n`,
    );
    await row(
      world.app,
      sql`insert into task_events select seq, e.column1, 'created', ${finished}, '', '{}' from tasks, (values (1), (2)) e`,
    );
    const before = world.app.database.commits();
    const { removed } = await world.removeOld();
    expect(removed).toContainEqual({ name: 'tasks', count: 1500 });
    expect(removed).toContainEqual({ name: 'events of finished tasks', count: 3000 });
    // 15 pages of 100 tasks, each with its own commit or more.
    expect(world.app.database.commits() - before).toBeGreaterThan(15);
    expect(await world.total()).toBe(0);
  });
});

describe('the retention of conversations', () => {
  it('removes a conversation unused for a year, and keeps one that waits for a decision', async () => {
    await using world = await startWorld();
    const create = async () =>
      (await world.client.conversations.create({ body: { title: 'A' } })).conversation.id;
    const [old, waiting] = [await create(), await create()];
    await row(
      world.app,
      sql`insert into approvals (id, run_id, call_id, owner_id, conversation_id, scope_id, tool, arguments, cwd, danger,
        reason, binding, status, requested_at, expires_at)
        values ('a', 'r', 'c', 'user_owner', ${waiting}, ${waiting}, 't', '{}', '/', 'd', 'r', 'b', 'pending', '2020', '2999')`,
    );
    world.later(364);
    const used = await create();
    await world.removeOld();
    world.later(2);
    await world.removeOld();
    const { conversations } = await world.client.conversations.list();
    expect(conversations.map(({ id }) => id).sort()).toEqual([waiting, used].sort());
    expect(conversations.some(({ id }) => id === old)).toBe(false);
  });
});

describe('the retention of workspaces', () => {
  it('removes that of a task 30 days after its end, and not one whose task an older database does not know', async () => {
    const { adapter, workspaces } = writer();
    await using world = await startWorld(adapter);
    await world.finish();
    const lost = await world.finish();
    await row(world.app, sql`delete from tasks where id = ${lost.id}`);
    await world.removeOld();
    expect(workspaces.map((folder) => existsSync(folder))).toEqual([true, true]);
    world.later(29);
    await world.finish();
    world.later(2);
    await world.removeOld();
    // The directory of the lost one has not been touched for 30 days either.
    expect(workspaces.map((folder) => existsSync(folder))).toEqual([false, false, true]);
  });
});

describe('the workspace of a failed task', () => {
  it('stays as long as its dead letter is pending', async () => {
    const { adapter, workspaces } = writer('invalid_input');
    await using world = await startWorld(adapter);
    await world.finish();
    world.later(60);
    await world.removeOld();
    expect(workspaces.map((folder) => existsSync(folder))).toEqual([true]);
    const [item] = (await world.client.dlq.list()).items;
    await world.client.dlq.discard({ params: { id: item?.id ?? '' } });
    await world.removeOld();
    expect(workspaces.map((folder) => existsSync(folder))).toEqual([false]);
  });
});

/** An agent that leaves a file in its workspace. */
function writer(failure?: FailureClass) {
  const workspaces: string[] = [];
  const adapter = testAdapter(async (run) => {
    const folder = await run.workspace();
    workspaces.push(folder);
    writeFileSync(join(folder, 'result'), 'x');
    if (failure) throw new AgentFailure(failure, 'test', 'It went wrong');
    return { output: '' };
  });
  return { adapter, workspaces };
}
