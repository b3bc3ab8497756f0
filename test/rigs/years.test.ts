import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { owner } from '../../src/core/auth/owner.ts';
import { isLong, sized } from '../helpers/long.ts';
import { rowCounts } from './years/row-counts.ts';
import { startYears, type YearsWorld } from './years/years-world.ts';

/** Long enough for what is kept 90 days to level off, or also for what is kept a year. */
const DAYS = sized(130, 400);
const TASKS = 2;

/** A failed task is there as long as its dead letter is pending. */
async function requeueFirstFailed(world: YearsWorld): Promise<void> {
  const { app } = world;
  const { items } = await app.deadLetters.list(owner, { status: 'pending', limit: 500, offset: 0 });
  const item = items.find(({ taskId }) => taskId === world.firstFailed());
  expect((await app.deadLetters.retry(owner, item?.id ?? '')).status).toBe('resolved');
}

it(
  `a daemon that lives ${DAYS} days levels off in size, and removes nothing that is still needed`,
  { timeout: 900_000 },
  async () => {
    await using world = await startYears({ tasksPerDay: TASKS, auditDays: 90 });
    const { app } = world;
    const sizes: number[] = [];
    while (world.day() < DAYS) {
      await world.liveOneDay();
      sizes.push(await world.bytes());
      if (world.day() === sized(110, 300)) await requeueFirstFailed(world);
    }
    const rows = await rowCounts(app);
    const pending = (await app.deadLetters.list(owner, { status: 'pending', limit: 500, offset: 0 })).total;
    // 90 days of tasks, the one that waits, and those that a person may still requeue.
    expect(rows.tasks).toBeLessThanOrEqual(91 * TASKS + 1 + pending);
    expect(rows.tasks).toBeGreaterThanOrEqual(90 * TASKS);
    // The last 30 days have theirs: created, queued, started, four outputs and the end at most.
    expect(rows.task_events).toBeLessThanOrEqual((31 * TASKS + pending) * 9 + 3);
    expect(rows.dead_letters).toBeLessThanOrEqual(Math.ceil((Math.min(DAYS + 1, 366) * TASKS) / 10));
    const conversations = Math.min(DAYS, 365);
    expect(rows).toMatchObject({ removed_tasks: 0, conversations, messages: conversations * 6 });
    expect(rows.idempotency_keys).toBeLessThanOrEqual(2 * TASKS);
    expect(rows.notifications).toBeLessThanOrEqual(91 * (5 + TASKS));
    expect(rows.webhook_deliveries).toBeLessThanOrEqual(31 * 3);
    expect(rows.inbound_deliveries).toBeLessThanOrEqual(31 * 3);
    expect(rows.approvals).toBeLessThanOrEqual(91 * 2);
    expect(rows.audit_log).toBeLessThanOrEqual(122 * 11 + 20);
    // The directories of 30 days and of tasks that may be requeued; nothing of older tasks is left beside the database.
    expect(readdirSync(join(world.daemon.home, 'workspaces')).length).toBeLessThanOrEqual(
      31 * TASKS + pending,
    );

    // From day 365 on only as much comes as goes: the last month is no larger than the one before it.
    const largest = (from: number, to: number) => Math.max(...sizes.slice(from, to));
    if (isLong) expect(largest(385, 400)).toBeLessThanOrEqual(largest(366, 385) * 1.03);

    // What is not finished is there, with all its events.
    expect((await app.tasks.get(owner, world.waitingTask)).status).toBe('pending');
    expect(
      (await app.taskEvents.list(owner, world.waitingTask, { after: 0, limit: 10 })).events[0]?.seq,
    ).toBe(1);
    // The counts are those of the rows, and the log is whole from its first entry to its last.
    const { total } = await app.taskAnalytics.read(owner, 30);
    expect(total).toBe(rows.tasks);
    expect(await app.auditEntries.verify()).toMatchObject({ valid: true });
  },
);
