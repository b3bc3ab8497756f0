import type { EventBus } from '../events.ts';
import { Counter, Histogram } from '../metrics/metric-families.ts';

const finishedStatuses = ['completed', 'failed', 'cancelled'];

/** Counts finished tasks, how long they waited and ran, and what their agents say they cost. */
export class TaskMetrics {
  readonly finished = new Counter();
  readonly waitSeconds = new Histogram([0.1, 0.5, 1, 5, 15, 30, 60, 300, 900, 3600, 21_600, 86_400]);
  readonly runSeconds = new Histogram([1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200]);
  readonly costUsd = new Counter();

  constructor(bus: EventBus) {
    for (const status of finishedStatuses) this.finished.add({ status }, 0);
    // Without labels there is one series, which is there before the first value.
    this.waitSeconds.series({});
    this.runSeconds.series({});
    bus.onLocal('task_moved', ({ before, task }) => {
      // A second attempt did not wait since the task was created.
      if (task.status === 'in_progress' && before.started_at === null)
        this.waitSeconds.observe({}, secondsBetween(task.created_at, task.started_at));
      if (!finishedStatuses.includes(task.status)) return;
      this.finished.add({ status: task.status });
      if (before.status === 'in_progress')
        this.runSeconds.observe({}, secondsBetween(task.started_at, task.updated_at));
    });
  }

  /** Takes the cost as results have it: USD as a decimal string. */
  addCost(agent: string, cost: string | undefined): void {
    const usd = Number(cost);
    if (cost !== undefined && Number.isFinite(usd) && usd > 0) this.costUsd.add({ agent }, usd);
  }
}

/** The wall clock may have been set back between the two. */
const secondsBetween = (from: string | null, to: string | null): number =>
  from === null || to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000;
