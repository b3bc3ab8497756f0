import type { Metrics } from '../../contract/health.ts';
import type { QueueStatus } from '../../contract/queue.ts';

/** The metrics in the Prometheus text exposition format 0.0.4. */
export function toPrometheus(metrics: Metrics, queue: QueueStatus): string {
  const lines = [
    ...family(
      'svc_tasks',
      'gauge',
      'Tasks by status',
      Object.entries(queue.queues.tasks).map(([status, n]) => [`status="${status}"`, n] as const),
    ),
    ...family('svc_dead_letters', 'gauge', 'Dead letters that nobody has dealt with', [
      ['', queue.deadLetterQueue.pending],
    ]),
    ...family(
      'svc_http_requests_total',
      'counter',
      'Requests by route',
      metrics.endpoints.map((endpoint) => [labels(endpoint), endpoint.count]),
    ),
    ...family(
      'svc_http_errors_total',
      'counter',
      'Requests that ended with a 5xx',
      metrics.endpoints.map((endpoint) => [labels(endpoint), endpoint.errors]),
    ),
    ...family(
      'svc_http_latency_milliseconds',
      'gauge',
      'Latency by route and quantile',
      metrics.endpoints.flatMap((endpoint) =>
        (['p50', 'p95', 'p99'] as const).map(
          (name) => [`${labels(endpoint)},quantile="0.${name.slice(1)}"`, endpoint[name]] as const,
        ),
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const labels = ({ method, route }: { method: string; route: string }) =>
  `method="${method}",route="${route}"`;

function family(name: string, type: string, help: string, samples: (readonly [string, number])[]): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([label, value]) => `${name}${label && `{${label}}`} ${value}`),
  ];
}
