import type { EventBus } from '../events.ts';
import type { Runtime } from '../runtime.ts';
import { Counter } from '../metrics/metric-families.ts';
import { ModelMetrics } from '../metrics/model-metrics.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import { TaskMetrics } from '../metrics/task-metrics.ts';

/** What the daemon counts from its start to its end. */
export interface Metrics {
  requests: RequestMetrics;
  tasks: TaskMetrics;
  models: ModelMetrics;
  /** Spans and batches of metrics by `signal` and `outcome`. */
  telemetry: Counter;
  uptimeSeconds: () => number;
}

export function createMetrics(bus: EventBus, { monotonic }: Runtime): Metrics {
  const startedAt = monotonic();
  return {
    requests: new RequestMetrics(monotonic),
    tasks: new TaskMetrics(bus),
    models: new ModelMetrics(monotonic),
    telemetry: new Counter(),
    uptimeSeconds: () => (monotonic() - startedAt) / 1000,
  };
}
