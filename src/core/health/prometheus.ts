import type { QueueStatus } from '../../contract/queue.ts';
import {
  Counter,
  formatFamily,
  type Histogram,
  type MetricFamily,
  type Sample,
  withLabels,
} from '../metrics/metric-families.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** The metrics in the Prometheus text exposition format 0.0.4, in base units; in a cluster with the name of the daemon. */
export function toPrometheus(
  metrics: Metrics,
  queue: QueueStatus,
  { daemon }: { daemon?: string } = {},
): string {
  const lines = metricFamilies(metrics, queue).flatMap(formatFamily);
  const all = daemon === undefined ? lines : withLabels(lines, { daemon });
  return `${all.join('\n')}\n`;
}

/** All metrics of the daemon. */
export function metricFamilies(
  { requests, tasks, models, telemetry, uptimeSeconds }: Metrics,
  { queues, deadLetterQueue }: QueueStatus,
): MetricFamily[] {
  const { endpoints } = requests.read();
  const memory = process.memoryUsage();
  const countOf = (pick: (endpoint: (typeof endpoints)[number]) => number): Sample[] =>
    endpoints.map((endpoint) => [{ method: endpoint.method, route: endpoint.route }, pick(endpoint)]);
  const states = Object.entries(queues.tasks).map(([status, n]): Sample => [{ status }, n]);
  return [
    gauge('svc_tasks', 'Tasks by status', states),
    gauge('svc_queue_depth', 'Tasks that wait to be run', queues.tasks.pending + queues.tasks.queued),
    gauge('svc_dead_letters', 'Items of the dead-letter queue that are pending', deadLetterQueue.pending),
    counter('svc_tasks_finished_total', 'Finished tasks by status', tasks.finished),
    histogram('svc_task_wait_seconds', 'Time from creation to the first start', tasks.waitSeconds),
    histogram('svc_task_run_seconds', 'Duration of the run that finished a task', tasks.runSeconds),
    counter(
      'svc_agent_cost_usd_total',
      'Cost of tasks in US dollars, as their agents report it',
      tasks.costUsd,
    ),
    counter(
      'svc_http_requests_total',
      'Requests by route',
      countOf((endpoint) => endpoint.count),
    ),
    counter(
      'svc_http_errors_total',
      'Requests that were answered with a 5xx status',
      countOf((endpoint) => endpoint.errors),
    ),
    histogram('svc_http_request_duration_seconds', 'Duration of requests by route', requests.seconds),
    histogram(
      'svc_model_call_duration_seconds',
      'Duration of model calls by provider and outcome',
      models.callSeconds,
    ),
    counter('svc_model_tokens_total', 'Tokens by provider, model and kind', models.tokens),
    counter(
      'svc_model_cost_usd_total',
      'Cost of model calls in US dollars, where the provider reports it',
      models.costUsd,
    ),
    counter('svc_telemetry_items_total', 'Spans and data points for OTLP by outcome', telemetry),
    gauge('process_resident_memory_bytes', 'Resident memory of the daemon', memory.rss),
    gauge('nodejs_heap_size_used_bytes', 'Memory that the heap of Node.js uses', memory.heapUsed),
    gauge('svc_uptime_seconds', 'Time since the daemon started', uptimeSeconds()),
  ];
}

const gauge = (name: string, help: string, value: number | readonly Sample[]): MetricFamily => ({
  type: 'gauge',
  name,
  help,
  samples: typeof value === 'number' ? [[{}, value]] : value,
});
const counter = (name: string, help: string, counted: Counter | readonly Sample[]): MetricFamily => ({
  type: 'counter',
  name,
  help,
  samples: counted instanceof Counter ? counted.samples() : counted,
});
const histogram = (name: string, help: string, values: Histogram): MetricFamily => ({
  type: 'histogram',
  name,
  help,
  histogram: values,
});
