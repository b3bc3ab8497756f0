import type { EventBus } from '../events.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { ExportQueue } from './export-queue.ts';
import type { FinishedSpan } from './finished-span.ts';
import { GenAi } from './genai.ts';
import { HttpMetrics } from './http-metrics.ts';
import { MetricReader } from './metric-reader.ts';
import { readOtelSettings } from './otel-settings.ts';
import { toMetricsRequest } from './otlp-metrics.ts';
import { OtlpSender } from './otlp-sender.ts';
import { toTracesRequest } from './otlp-traces.ts';
import { parseTaskSpan } from './stored-context.ts';
import { type Mask, showContent } from './show-content.ts';
import { recordTaskSpan } from './task-spans.ts';
import { Tracer } from './tracer.ts';

export interface TelemetryDeps {
  env: Record<string, string | undefined>;
  database: Database;
  bus: EventBus;
  metrics: Metrics;
  runtime: Runtime;
  log: Log;
  maskContent: Mask;
  /** Names this process among those of the service. */
  instanceId: string;
}

/** What is left to export when the daemon stops has this long. */
const FLUSH_MS = 5000;
/** The operator chose the receiver, which is often on this machine or in a private network. */
const anywhere = ['0.0.0.0/0', '::/0'];

export type StartedTelemetry = ReturnType<typeof startTelemetry>;

/** Wires what exports telemetry by the standard variables; throws a configuration error where it cannot do what they say. */
export function startTelemetry(deps: TelemetryDeps) {
  const { env, database, bus, metrics, runtime, log, instanceId, maskContent } = deps;
  const settings = readOtelSettings(env);
  for (const warning of settings.warnings) log.warn({}, warning);
  const resource = { 'service.instance.id': instanceId, ...settings.resource };
  const stopping = new AbortController();
  const outbound = createOutboundFetch(() => anywhere);
  const sender = { fetch: outbound.fetch, runtime, log, count: metrics.telemetry, stopping: stopping.signal };
  const traces =
    settings.traces && new OtlpSender({ ...sender, signal: 'traces', settings: settings.traces });
  const points =
    settings.metrics && new OtlpSender({ ...sender, signal: 'metrics', settings: settings.metrics });

  const queue =
    traces &&
    new ExportQueue<FinishedSpan>({
      ...settings.batch,
      send: (batch) => traces.send(toTracesRequest(batch, resource), batch.length),
      onDropped: (count) => metrics.telemetry.add({ signal: 'traces', outcome: 'dropped' }, count),
    });
  const tracer = new Tracer({
    runtime,
    // Contexts go on where only metrics are exported.
    sampler: queue ? settings.sampler : () => false,
    export: (span) => queue?.add(span),
    showContent: settings.capturesContent ? showContent(maskContent) : undefined,
    ofTask: async (id) => {
      const row = await database.read
        .selectFrom('tasks')
        .select('trace_context')
        .where('id', '=', id)
        .executeTakeFirst();
      return parseTaskSpan(row?.trace_context)?.context;
    },
  });
  const startedAt = runtime.now().getTime();
  const reader =
    points &&
    new MetricReader({
      intervalMs: settings.metricIntervalMs,
      send: (families) => {
        const { request, count } = toMetricsRequest({
          families,
          resource,
          startedAt,
          now: runtime.now().getTime(),
        });
        return points.send(request, count);
      },
      onError: (error) => log.warn({ reason: messageOf(error) }, 'the metrics could not be read'),
    });
  const genAi = new GenAi(tracer, runtime);
  const httpMetrics = new HttpMetrics();
  reader?.add(async () => [...genAi.families(), ...httpMetrics.families()]);
  metrics.models.watcher = genAi;
  bus.onLocal('task_moved', (move) => recordTaskSpan(tracer, move));
  return {
    tracer,
    httpMetrics,
    addMetrics: (source: Parameters<MetricReader['add']>[0]) => reader?.add(source),
    start: () => reader?.start(),
    /** Exports what is left, for five seconds at most. */
    stop: async (): Promise<void> => {
      reader?.stop();
      const timer = setTimeout(() => stopping.abort(new Error('svc stops')), FLUSH_MS);
      await Promise.all([queue?.flush(), reader?.read()]);
      clearTimeout(timer);
      await outbound.close();
    },
  };
}
