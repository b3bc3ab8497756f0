import type { QueueStatus } from '../../contract/queue.ts';
import { withLabels, formatFamily, formatHistogram, type Sample } from '../metrics/metric-families.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** The metrics in the Prometheus text exposition format 0.0.4, in base units; in a cluster with the name of the daemon. */
export function toPrometheus(
  { requests, tasks, models, uptimeSeconds }: Metrics,
  { queues, deadLetterQueue }: QueueStatus,
  { memory = process.memoryUsage(), daemon }: { memory?: NodeJS.MemoryUsage; daemon?: string } = {},
): string {
  const { endpoints } = requests.read();
  const countOf = (pick: (endpoint: (typeof endpoints)[number]) => number): Sample[] =>
    endpoints.map((endpoint) => [{ method: endpoint.method, route: endpoint.route }, pick(endpoint)]);
  const lines = [
    formatFamily(
      'gauge',
      'svc_tasks',
      'Tasks by status',
      Object.entries(queues.tasks).map(([status, n]) => [{ status }, n]),
    ),
    gauge('svc_queue_depth', 'Tasks that wait to be run', queues.tasks.pending + queues.tasks.queued),
    gauge('svc_dead_letters', 'Items of the dead-letter queue that are pending', deadLetterQueue.pending),
    formatFamily('counter', 'svc_tasks_finished_total', 'Finished tasks by status', tasks.finished.samples()),
    formatHistogram('svc_task_wait_seconds', 'Time from creation to the first start', tasks.waitSeconds),
    formatHistogram('svc_task_run_seconds', 'Duration of the run that finished a task', tasks.runSeconds),
    formatFamily(
      'counter',
      'svc_agent_cost_usd_total',
      'Cost of tasks in US dollars, as their agents report it',
      tasks.costUsd.samples(),
    ),
    formatFamily(
      'counter',
      'svc_http_requests_total',
      'Requests by route',
      countOf((endpoint) => endpoint.count),
    ),
    formatFamily(
      'counter',
      'svc_http_errors_total',
      'Requests that were answered with a 5xx status',
      countOf((endpoint) => endpoint.errors),
    ),
    formatHistogram('svc_http_request_duration_seconds', 'Duration of requests by route', requests.seconds),
    formatHistogram(
      'svc_model_call_duration_seconds',
      'Duration of model calls by provider and outcome',
      models.callSeconds,
    ),
    formatFamily(
      'counter',
      'svc_model_tokens_total',
      'Tokens by provider, model and kind',
      models.tokens.samples(),
    ),
    formatFamily(
      'counter',
      'svc_model_cost_usd_total',
      'Cost of model calls in US dollars, where the provider reports it',
      models.costUsd.samples(),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory of the daemon', memory.rss),
    gauge('nodejs_heap_size_used_bytes', 'Memory that the heap of Node.js uses', memory.heapUsed),
    gauge('svc_uptime_seconds', 'Time since the daemon started', uptimeSeconds()),
  ];
  const all = daemon === undefined ? lines.flat() : withLabels(lines.flat(), { daemon });
  return `${all.join('\n')}\n`;
}

const gauge = (name: string, help: string, value: number) => formatFamily('gauge', name, help, [[{}, value]]);
