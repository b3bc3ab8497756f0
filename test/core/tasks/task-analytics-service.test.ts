import { describe, expect, it } from 'vitest';
import { owner } from '../../../src/core/auth/owner.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { TaskAnalyticsService } from '../../../src/core/tasks/task-analytics-service.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import { FinishedTaskStore } from '../../../src/core/tasks/finished-task-store.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';

const at = (day: string, ms = 0) => new Date(Date.parse(`${day}T12:00:00.000Z`) + ms).toISOString();
const ended = (id: string, status: 'completed' | 'failed', day: string, ms: number, agent_type = 'test') =>
  newTask(id, {
    status,
    agent_type,
    created_at: at(day),
    updated_at: at(day, ms),
    started_at: at(day),
    completed_at: at(day, ms),
  });
const analyticsOf = ({ database }: TestStorage, today: string) =>
  new TaskAnalyticsService({
    counts: new TaskCountStore(database),
    finished: new FinishedTaskStore(database),
    runtime: { ...systemRuntime, now: () => new Date(at(today)) },
  });

const unused = { tokens: 0, costUsd: 0 };

describe('analytics', () => {
  it('analytics without tasks are zeros', async () => {
    await using storage = await openStorage();
    expect(await analyticsOf(storage, '2026-03-02').read(owner, 3)).toEqual({
      total: 0,
      byStatus: {},
      byPriority: {},
      bySource: {},
      byAgent: {},
      successRate: 0,
      failureRate: 0,
      duration: { avg: 0, p50: 0, p95: 0, max: 0 },
      daily: ['2026-02-28', '2026-03-01', '2026-03-02'].map((date) => ({
        date,
        created: 0,
        completed: 0,
        failed: 0,
        tokens: 0,
        costUsd: 0,
      })),
      failures: {},
      usage: { tasks: 0, isComplete: true, byAgent: [], byModel: [] },
    });
  });

  it('analytics contain rates, durations, agents and days', async () => {
    await using storage = await openStorage();
    const days = ['2026-01-01', '2026-02-27', '2026-02-28', '2026-03-01'] as const;
    await insertTasks(storage, [
      ...Array.from({ length: 100 }, (_, index) =>
        ended(`c${index}`, 'completed', days[2], (index + 1) * 10),
      ),
      ended('old', 'completed', days[0], 1_000_000),
      ended('f1', 'failed', days[3], 70_000, 'other'),
      ended('f2', 'failed', days[1], 70_000, 'other'),
      newTask('waits', { created_at: at(days[3]), priority: 1, source: 'cron' }),
    ]);
    const analytics = await analyticsOf(storage, '2026-03-01').read(owner, 3);
    expect(analytics).toEqual({
      total: 104,
      byStatus: { completed: 101, failed: 2, pending: 1 },
      byPriority: { 1: 1, 3: 103 },
      bySource: { api: 103, cron: 1 },
      byAgent: {
        test: { count: 101, completed: 101, failed: 0, avgDuration: Math.round((50_500 + 1_000_000) / 101) },
        other: { count: 2, completed: 0, failed: 2 },
      },
      successRate: 101 / 103,
      failureRate: 2 / 103,
      // Of the last three days only.
      duration: { avg: 505, p50: 500, p95: 950, max: 1000 },
      daily: [
        { date: days[1], created: 1, completed: 0, failed: 1, ...unused },
        { date: days[2], created: 100, completed: 100, failed: 0, p50: 500, p95: 950, ...unused },
        { date: days[3], created: 2, completed: 0, failed: 1, ...unused },
      ],
      failures: { unknown: 2 },
      usage: { tasks: 102, isComplete: true, byAgent: [], byModel: [] },
    });
  });

  it('analytics sum what models used by day, agent and model, and count failures by class', async () => {
    await using storage = await openStorage();
    const [yesterday, today] = ['2026-02-28', '2026-03-01'] as const;
    const result = (tokens: number, cost: string, model: string) =>
      JSON.stringify({ success: true, output: 'x', usage: { totalTokens: tokens }, cost, model });
    const failure = (name: string) => JSON.stringify({ class: name, code: 'x', message: 'x' });
    await insertTasks(storage, [
      { ...ended('a', 'completed', yesterday, 1, 'claude'), result: result(100, '0.25', 'opus') },
      { ...ended('b', 'completed', today, 1, 'claude'), result: result(50, '0.5', 'opus') },
      { ...ended('c', 'completed', today, 1, 'builtin'), result: result(1000, '0', 'local') },
      { ...ended('d', 'completed', today, 1, 'command'), result: '{"success":true,"output":""}' },
      { ...ended('e', 'failed', today, 1), error: failure('timeout') },
      { ...ended('f', 'failed', today, 1), error: failure('timeout') },
      { ...ended('g', 'failed', today, 1), error: failure('auth') },
    ]);
    const { daily, usage, failures } = await analyticsOf(storage, today).read(owner, 2);
    expect(failures).toEqual({ timeout: 2, auth: 1 });
    expect(daily).toMatchObject([
      { tokens: 100, costUsd: 0.25 },
      { tokens: 1050, costUsd: 0.5 },
    ]);
    expect(usage).toEqual({
      tasks: 7,
      isComplete: true,
      byAgent: [
        { name: 'claude', tasks: 2, tokens: 150, costUsd: 0.75 },
        { name: 'builtin', tasks: 1, tokens: 1000, costUsd: 0 },
      ],
      byModel: [
        { name: 'opus', tasks: 2, tokens: 150, costUsd: 0.75 },
        { name: 'local', tasks: 1, tokens: 1000, costUsd: 0 },
      ],
    });
  });

  it('analytics count only the tasks of the caller', async () => {
    await using storage = await openStorage();
    const mine = ended('mine', 'completed', '2026-03-01', 5);
    await insertTasks(storage, [
      { ...mine, owner_id: 'user_ann' },
      ended('theirs', 'failed', '2026-03-01', 9),
    ]);
    const ann = await analyticsOf(storage, '2026-03-01').read({ userId: 'user_ann', role: 'user' }, 1);
    expect(ann).toMatchObject({
      total: 1,
      byStatus: { completed: 1 },
      successRate: 1,
      failureRate: 0,
      duration: { max: 5 },
      daily: [{ created: 1, completed: 1, failed: 0 }],
    });
  });
});
