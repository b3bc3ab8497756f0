import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/contract/approvals.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { leaveRunning, runSql } from '../helpers/daemon-rows.ts';
import { callsTools, startModelServer, useModel } from '../helpers/model-server.ts';
import { follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';

const write = callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }]]);
const askingTask = {
  title: 'Write',
  prompt: 'Write it',
  assignedAgent: 'builtin',
  securityMode: 'ask',
} as const;

async function asked({ client }: TestDaemon, taskId: string): Promise<Approval> {
  return until(async () => {
    const [found] = (await client.approvals.list({ query: { taskId } })).approvals;
    if (!found) throw new Error('There is no approval yet');
    return found;
  });
}
const allow = ({ client }: TestDaemon, { id }: Approval) =>
  client.approvals.decide({ params: { id }, body: { decision: 'allow-once' } });
const isDone = ({ home }: TestDaemon, taskId: string) =>
  readFileSync(join(home, 'workspaces', taskId, 'done.txt'), 'utf8') === 'yes';

describe('a task that waits for an approval', () => {
  it('does not use up its time, and leaves its slot to other tasks', async () => {
    const limitMs = 2000;
    const decision = Promise.withResolvers<void>();
    const asking = testAdapter(
      async (run) => {
        await run.whileWaiting(() => decision.promise);
        return { output: 'allowed' };
      },
      { type: 'asking' },
    );
    const quick = testAdapter(async () => ({ output: 'quick' }), { type: 'quick' });
    await using daemon = await startDaemon({
      flags: { 'pool.timeoutMs': limitMs, 'queue.concurrency': 1 },
      extraAdapters: [asking, quick],
    });
    const { client } = daemon;
    const { task } = await client.tasks.create({
      body: { title: 'Asks', assignedAgent: 'asking', maxAttempts: 1 },
    });
    // One slot for all agents: each of these runs in that of the task that waits.
    const enough = performance.now() + 1.25 * limitMs;
    while (performance.now() < enough) {
      const other = await client.tasks.create({ body: { title: 'Other', assignedAgent: 'quick' } });
      expect((await follow(client, other.task.id)).task.status).toBe('completed');
    }
    expect((await client.tasks.get({ params: { id: task.id } })).task.status).toBe('in_progress');
    decision.resolve();
    const { task: done } = await follow(client, task.id);
    expect(done).toMatchObject({ status: 'completed', attempts: 1, result: { output: 'allowed' } });
    expect(done.result?.duration).toBeLessThan(limitMs);
  });

  it('takes a slot again before it continues', async () => {
    await using model = await startModelServer(write);
    const held = heldAdapter({ type: 'held' });
    await using daemon = await startDaemon({
      flags: { 'queue.concurrency': 1 },
      extraAdapters: [held.adapter],
    });
    await useModel(daemon, model);
    const { client } = daemon;
    const { task } = await client.tasks.create({ body: askingTask });
    const approval = await asked(daemon, task.id);
    await client.tasks.create({ body: { title: 'Held', assignedAgent: 'held' } });
    await held.started(0);
    await client.tasks.create({ body: { title: 'Later', assignedAgent: 'held' } });
    await allow(daemon, approval);
    await until(async () => {
      const { events } = await client.tasks.listEvents({ params: { id: task.id } });
      expect(events.at(-1)?.type).toBe('approval_decided');
    });
    expect(() => isDone(daemon, task.id)).toThrow('ENOENT');
    held.runs[0]?.succeed();
    expect((await follow(client, task.id)).task.status).toBe('completed');
    (await held.started(1)).succeed();
  });

  it('is stopped at once with the daemon, keeps its approval and continues at the next start', async () => {
    await using model = await startModelServer(write);
    const first = await startDaemon();
    await useModel(first, model);
    const { task } = await first.client.tasks.create({ body: { ...askingTask, maxAttempts: 1 } });
    const approval = await asked(first, task.id);
    const started = performance.now();
    // As `svc daemon stop` does: work under way gets half a minute.
    await first.stop(30_000);
    expect(performance.now() - started).toBeLessThan(15_000);
    await using second = await startDaemon({ home: first.home });
    expect((await second.client.approvals.list()).approvals).toEqual([approval]);
    await allow(second, approval);
    expect((await follow(second.client, task.id)).task).toMatchObject({ status: 'completed', attempts: 1 });
    expect(isDone(second, task.id)).toBe(true);
  });

  it.each([1, 3])(
    'survives crashes of the daemon, of which none counts, with %i attempts',
    async (maxAttempts) => {
      await using model = await startModelServer(write);
      let daemon = await startDaemon();
      const { home } = daemon;
      await useModel(daemon, model);
      const { task } = await daemon.client.tasks.create({ body: { ...askingTask, maxAttempts } });
      const approval = await asked(daemon, task.id);
      for (let crash = 0; crash < 3; crash++) {
        await daemon.stop();
        await leaveRunning(home, [task.id]);
        daemon = await startDaemon({ home });
        await until(async () =>
          expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe(
            'in_progress',
          ),
        );
      }
      await using last = daemon;
      expect(await asked(last, task.id)).toEqual(approval);
      await allow(last, approval);
      const { task: done, events } = await follow(last.client, task.id);
      expect(done).toMatchObject({ status: 'completed', attempts: 1 });
      expect(events.map(({ message }) => message)).toContain(
        'The daemon stopped; the task continues to wait for the approval',
      );
      const { crashes, suspect } = await last.app.database.read
        .selectFrom('tasks')
        .select(['crashes', 'suspect'])
        .where('id', '=', task.id)
        .executeTakeFirstOrThrow();
      expect({ crashes, suspect }).toEqual({ crashes: 0, suspect: 0 });
    },
  );

  it.each([
    ['and the crash does not count if nothing ran since', 20_000, { status: 'completed', attempts: 1 }],
    ['and the crash counts if it may have run since', 40_000, { error: { code: 'worker_lost' } }],
  ])('may be decided after its daemon died, %s', async (_, leftMs, expected) => {
    await using model = await startModelServer(write);
    const first = await startDaemon();
    const { home } = first;
    await useModel(first, model);
    const { task } = await first.client.tasks.create({ body: { ...askingTask, maxAttempts: 1 } });
    const { id } = await asked(first, task.id);
    await first.stop();
    const now = Date.now();
    await leaveRunning(home, [task.id], new Date(now + leftMs).toISOString());
    await runSql(
      first,
      "update approvals set status = 'approved', decision = 'allow-once', decided_at = ? where id = ?",
      new Date(now).toISOString(),
      id,
    );
    await using second = await startDaemon({ home });
    await useModel(second, model);
    expect((await follow(second.client, task.id)).task).toMatchObject(expected);
  });

  it('waits a day, or as long as the setting says', async () => {
    await using model = await startModelServer(write);
    await using daemon = await startDaemon();
    await useModel(daemon, model);
    const { client } = daemon;
    const lifetimeOf = ({ requestedAt, expiresAt }: Approval) =>
      Date.parse(expiresAt) - Date.parse(requestedAt);
    const { task } = await client.tasks.create({ body: askingTask });
    expect(lifetimeOf(await asked(daemon, task.id))).toBe(24 * 3_600_000);
    await client.config.update({ params: { key: 'approvals.expireAfter' }, body: { value: '36h' } });
    const { task: next } = await client.tasks.create({ body: askingTask });
    expect(lifetimeOf(await asked(daemon, next.id))).toBe(36 * 3_600_000);
    await expect(
      client.config.update({ params: { key: 'approvals.expireAfter' }, body: { value: 'soon' } }),
    ).rejects.toMatchObject({ status: 400 });
  });
});
