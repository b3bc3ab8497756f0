import type { TaskAnalytics } from '../../contract/tasks.ts';
import { type Caller, visibleOwner } from '../auth/caller.ts';
import type { Runtime } from '../runtime.ts';
import { type CountCell, sumBy, type TaskCountStore } from '../storage/task-count-store.ts';
import { sumUsage } from './sum-usage.ts';
import { elapsed, type FinishedRow, type FinishedTaskStore } from './finished-task-store.ts';

const DAY_MS = 86_400_000;
/** Percentiles and failures are taken from this many of the newest finished tasks. */
const SAMPLE = 10_000;
/** What models used is in the results of tasks, which are read for so many of them. */
const USAGE_SAMPLE = 1000;

/** Computes statistics from the counts; only the percentiles read tasks. */
export class TaskAnalyticsService {
  readonly #deps: { counts: TaskCountStore; finished: FinishedTaskStore; runtime: Runtime };
  constructor(deps: { counts: TaskCountStore; finished: FinishedTaskStore; runtime: Runtime }) {
    this.#deps = deps;
  }

  async read(caller: Caller, days: number): Promise<TaskAnalytics> {
    const { counts, finished: store, runtime } = this.#deps;
    const ownerId = visibleOwner(caller);
    const dates = lastDays(runtime.now(), days);
    const since = dates[0] ?? '';
    const cells = await counts.cells(ownerId);
    const daily = new Map((await counts.days(since, ownerId)).map((row) => [row.day, row]));
    const byStatus = sumBy(cells, (cell) => cell.status);
    const completed = byStatus['completed'] ?? 0;
    const failed = byStatus['failed'] ?? 0;
    const finished = completed + failed;
    const total = cells.reduce((sum, cell) => sum + cell.n, 0);
    const newest = {
      since: `${since}T00:00:00.000Z`,
      ownerId,
      hasFew: ownerId !== undefined && total <= SAMPLE,
    };
    const rows = await store.list({ ...newest, limit: SAMPLE });
    const durations = rows
      .filter(({ status }) => status === 'completed')
      .map((row) => ({ day: row.completed_at.slice(0, 10), ms: elapsed(row.started_at, row.completed_at) }));
    const byDate = new Map<string, number[]>(dates.map((date) => [date, []]));
    for (const { day, ms } of durations) byDate.get(day)?.push(ms);
    const used = await store.usage({ ...newest, limit: USAGE_SAMPLE });
    const { byDay, ...usage } = sumUsage(used);
    return {
      total,
      byStatus,
      byPriority: sumBy(cells, (cell) => cell.priority),
      bySource: sumBy(cells, (cell) => cell.source),
      byAgent: byAgent(cells),
      successRate: finished > 0 ? completed / finished : 0,
      failureRate: finished > 0 ? failed / finished : 0,
      duration: summarize(durations.map(({ ms }) => ms)),
      daily: dates.map((date) => {
        const row = daily.get(date);
        const own = byDate.get(date) ?? [];
        const { p50, p95 } = summarize(own);
        const { tokens = 0, costUsd = 0 } = byDay.get(date) ?? {};
        return {
          date,
          created: row?.created ?? 0,
          completed: row?.completed ?? 0,
          failed: row?.failed ?? 0,
          ...(own.length > 0 && { p50, p95 }),
          tokens,
          costUsd,
        };
      }),
      failures: countClasses(rows),
      usage: { tasks: used.length, isComplete: used.length < USAGE_SAMPLE, ...usage },
    };
  }
}

function lastDays(now: Date, days: number): string[] {
  return Array.from({ length: days }, (_, index) =>
    new Date(now.getTime() - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function byAgent(cells: CountCell[]): TaskAnalytics['byAgent'] {
  const agents = [...new Set(cells.map((cell) => cell.agent))].filter((agent) => agent !== '');
  return Object.fromEntries(
    agents.map((agent) => {
      const own = cells.filter((cell) => cell.agent === agent);
      const sums = sumBy(own, (cell) => cell.status);
      const completed = sums['completed'] ?? 0;
      const duration = own.reduce((sum, cell) => sum + cell.duration, 0);
      return [
        agent,
        {
          count: own.reduce((sum, cell) => sum + cell.n, 0),
          completed,
          failed: sums['failed'] ?? 0,
          ...(completed > 0 && { avgDuration: Math.round(duration / completed) }),
        },
      ];
    }),
  );
}

function countClasses(rows: FinishedRow[]): TaskAnalytics['failures'] {
  const counts: TaskAnalytics['failures'] = {};
  for (const { status, failure } of rows) {
    if (status !== 'failed') continue;
    const name = failure ?? 'unknown';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function summarize(durations: number[]): TaskAnalytics['duration'] {
  if (durations.length === 0) return { avg: 0, p50: 0, p95: 0, max: 0 };
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const sum = sorted.reduce((total, ms) => total + ms, 0);
  return { avg: Math.round(sum / sorted.length), p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 };
}
