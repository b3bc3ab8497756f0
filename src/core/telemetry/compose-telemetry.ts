import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Feature } from '../lifecycle.ts';
import type { LogTrace } from '../log.ts';
import type { StartedTelemetry, TelemetryDeps } from './start-telemetry.ts';
import type { Mask } from './show-content.ts';
import type { Telemetry } from './telemetry.ts';

export interface TelemetryFeatureDeps extends Omit<TelemetryDeps, 'instanceId' | 'maskContent'> {
  daemon: Pick<DaemonIdentity, 'id' | 'isInCluster'>;
  /** Loads what masks secrets in content. */
  loadMask: () => Promise<Mask>;
  /** Adds the trace to lines of the log. */
  logTrace?: LogTrace;
}

export interface TelemetryServices {
  /** Undefined unless an operator switched telemetry on. */
  telemetry: Telemetry | undefined;
  /** Exports more metrics, and measures requests. */
  exporter: Pick<StartedTelemetry, 'addMetrics' | 'httpMetrics'> | undefined;
}

/** Exports traces and metrics over OTLP where the standard variables ask for it; loads nothing where they do not. */
export async function composeTelemetry(deps: TelemetryFeatureDeps): Promise<Feature<TelemetryServices>> {
  const off = { services: { telemetry: undefined, exporter: undefined } };
  const { env, daemon, runtime, logTrace } = deps;
  if (!isAskedFor(env)) return off;
  const { startTelemetry } = await import('./start-telemetry.ts');
  const instanceId = daemon.isInCluster ? daemon.id : runtime.newId('daemon');
  const { tracer, start, stop, ...exporter } = startTelemetry({
    ...deps,
    instanceId,
    maskContent: await deps.loadMask(),
  });
  if (logTrace)
    logTrace.read = () => {
      const active = tracer.active();
      return active && { trace_id: active.traceId, span_id: active.spanId };
    };
  return { services: { telemetry: tracer, exporter }, lifecycle: { start, stop } };
}

/** Whether a variable names a receiver, or asks for the one at the default address. */
function isAskedFor(env: TelemetryDeps['env']): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  const isSet = (name: string) => (env[name] ?? '').trim() !== '';
  const endpoints = ['', '_TRACES', '_METRICS'].map((signal) => `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`);
  const isExported = (signal: string) => env[`OTEL_${signal}_EXPORTER`]?.trim() === 'otlp';
  const isOff = ['TRACES', 'METRICS'].every((signal) => env[`OTEL_${signal}_EXPORTER`]?.trim() === 'none');
  return !isOff && (endpoints.some(isSet) || isExported('TRACES') || isExported('METRICS'));
}
