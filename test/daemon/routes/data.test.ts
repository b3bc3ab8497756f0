import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { isPro } from '../../helpers/pro.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';
import { auditedEvents } from '../../helpers/audit.ts';

async function startWorld() {
  let offset = 0;
  const runtime = { ...systemRuntime, now: () => new Date(Date.now() + offset) };
  const extraAdapters = [testAdapter(async () => ({ output: 'done' }))];
  const daemon = await startDaemon({ runtime, extraAdapters });
  for (let n = 0; n < 3; n++) {
    const { task } = await daemon.client.tasks.create({ body: { title: 'A', assignedAgent: 'test' } });
    await follow(daemon.client, task.id);
  }
  offset = 100 * 86_400_000;
  return daemon;
}

describe('the stored data', () => {
  it('is measured by table and directory, with how long each kind is kept', async () => {
    await using daemon = await startWorld();
    const usage = await daemon.client.data.getUsage();
    const file = isPro ? expect.stringMatching(/^127\.0\.0\.1:\d+\/svc_\d+$/) : `${daemon.home}/svc.db`;
    expect(usage.database).toMatchObject({ incrementalVacuum: true, file });
    // PostgreSQL counts rows for its statistics, some seconds later.
    const rowsOfTasks = async () =>
      (await daemon.client.data.getUsage()).tables.find(({ name }) => name === 'tasks')?.rows;
    await expect.poll(rowsOfTasks, { timeout: 30_000 }).toBe(3);
    expect(usage.tables.every(({ bytes }) => bytes >= 4096)).toBe(true);
    expect(usage.retention).toContainEqual({ name: 'tasks', setting: 'retention.tasksDays', days: 90 });
    expect(usage.retention).toContainEqual(
      expect.objectContaining({ setting: 'retention.auditDays', days: 0 }),
    );
  });

  it('is pruned on request; a dry run says the same and removes nothing', async () => {
    await using daemon = await startWorld();
    const { client } = daemon;
    const dry = await client.data.prune({ body: { dryRun: true } });
    expect(dry.removed).toContainEqual({ name: 'tasks', count: 3 });
    expect((await client.tasks.list()).total).toBe(3);
    const report = await client.data.prune({ body: { vacuum: true } });
    expect(report).toMatchObject({ dryRun: false, incrementalVacuum: true });
    const counted = (name: string) => report.removed.find((each) => each.name === name)?.count;
    expect(counted('tasks')).toBe(3);
    expect(counted('events of finished tasks')).toBe(
      dry.removed.find(({ name }) => name === 'events of finished tasks')?.count,
    );
    expect((await client.tasks.list()).total).toBe(0);
    expect(await auditedEvents(daemon)).toContain('data.pruned ok');
  });
});
