import { trimSlashes } from '../../contract/trim-slashes.ts';
import { AppError } from '../errors.ts';
import { type Sampler, samplerOf } from './sampler.ts';

type Env = Record<string, string | undefined>;

export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** Where one kind of telemetry goes. */
export interface SignalSettings {
  url: string;
  /** May hold secrets. */
  headers: Record<string, string>;
  timeoutMs: number;
  isCompressed: boolean;
  protocol: OtlpProtocol;
}
export interface OtelSettings {
  traces: SignalSettings | undefined;
  metrics: SignalSettings | undefined;
  sampler: Sampler;
  batch: { maxQueue: number; maxBatch: number; delayMs: number };
  metricIntervalMs: number;
  capturesContent: boolean;
  resource: Record<string, string>;
  /** What an operator should know: values that are not understood, and what is used instead. */
  warnings: string[];
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** Reads the standard variables; throws a configuration error where svc cannot do what they ask for. */
export function readOtelSettings(env: Env): OtelSettings {
  const warnings: string[] = [];
  const reader = new EnvReader(env, warnings);
  const name = reader.text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const ratio = reader.ratio('OTEL_TRACES_SAMPLER_ARG');
  const sampler = samplerOf(name, ratio);
  if (!sampler) warnings.push(`OTEL_TRACES_SAMPLER is not known to svc: ${name}. It exports all traces.`);
  const maxQueue = reader.count('OTEL_BSP_MAX_QUEUE_SIZE', 2048);
  return {
    traces: signalOf(reader, 'TRACES'),
    metrics: signalOf(reader, 'METRICS'),
    sampler: sampler ?? (() => true),
    batch: {
      maxQueue,
      maxBatch: Math.min(maxQueue, reader.count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
      delayMs: reader.count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
    metricIntervalMs: reader.count('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    capturesContent:
      reader.text('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() === 'true',
    resource: resourceOf(reader),
    warnings,
  };
}

function signalOf(reader: EnvReader, signal: 'TRACES' | 'METRICS'): SignalSettings | undefined {
  const exporter = reader.text(`OTEL_${signal}_EXPORTER`);
  if (exporter === 'none') return undefined;
  if (exporter !== undefined && exporter !== 'otlp') {
    reader.warn(`OTEL_${signal}_EXPORTER is ${exporter}, but svc has only otlp and none. It exports none.`);
    return undefined;
  }
  const own = reader.text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const shared = reader.text('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (own === undefined && shared === undefined && exporter === undefined) return undefined;
  const either = (name: string) =>
    reader.text(`OTEL_EXPORTER_OTLP_${signal}_${name}`) === undefined
      ? `OTEL_EXPORTER_OTLP_${name}`
      : `OTEL_EXPORTER_OTLP_${signal}_${name}`;
  const base = trimSlashes(shared ?? DEFAULT_ENDPOINT);
  return {
    url: urlOf(own ?? `${base}/v1/${signal.toLowerCase()}`),
    headers: reader.pairs(either('HEADERS')),
    timeoutMs: reader.count(either('TIMEOUT'), 10_000),
    isCompressed: reader.text(either('COMPRESSION')) === 'gzip',
    protocol: protocolOf(reader, either('PROTOCOL')),
  };
}

/** The default is that of the specification, and so is that a name which no one knows is ignored. */
function protocolOf(reader: EnvReader, name: string): OtlpProtocol {
  const protocol = reader.text(name)?.toLowerCase() ?? 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  if (protocol === 'grpc')
    throw new AppError(
      'configuration',
      `svc does not export telemetry over gRPC, and ${name} is grpc. Set it to http/protobuf, and the endpoint to the port of the receiver for HTTP, which is usually 4318.`,
    );
  reader.warn(`${name} is not a protocol of OTLP: ${protocol.slice(0, 50)}. svc uses http/protobuf.`);
  return 'http/protobuf';
}

/** The URL may hold a password, so the error does not repeat it. */
function urlOf(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new AppError(
    'configuration',
    'OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a receiver, such as http://localhost:4318',
  );
}

function resourceOf(reader: EnvReader): Record<string, string> {
  const name = reader.text('OTEL_SERVICE_NAME');
  return {
    'service.name': 'svc',
    ...reader.pairs('OTEL_RESOURCE_ATTRIBUTES'),
    ...(name !== undefined && { 'service.name': name }),
  };
}

/** Reads variables by the rules of OpenTelemetry: an empty one is not set, and an invalid one is ignored with a warning. */
class EnvReader {
  readonly #env: Env;
  readonly #warnings: string[];
  constructor(env: Env, warnings: string[]) {
    this.#env = env;
    this.#warnings = warnings;
  }

  warn(text: string): void {
    this.#warnings.push(text);
  }

  text(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }

  count(name: string, fallback: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    this.warn(`${name} is not a whole number above 0. svc uses ${fallback}.`);
    return fallback;
  }

  ratio(name: string): number {
    const text = this.text(name);
    const value = Number(text ?? 1);
    if (value >= 0 && value <= 1) return value;
    this.warn(`${name} is not a number from 0 to 1. svc uses 1.`);
    return 1;
  }

  /** `name=value` pairs, percent-encoded as in the Baggage header. */
  pairs(name: string): Record<string, string> {
    const pairs: [string, string][] = [];
    for (const part of this.text(name)?.split(',') ?? []) {
      const at = part.indexOf('=');
      const key = part.slice(0, Math.max(0, at)).trim();
      const value = decode(part.slice(at + 1).trim());
      if (part.trim() === '') continue;
      // The value may be a secret, so the warning does not repeat it.
      if (!/^[\w.!#$%&'*+^`|~-]+$/.test(key) || value === undefined || /[\0\r\n]/.test(value))
        this.warn(`${name} has an entry that is not name=value. svc ignores it.`);
      else pairs.push([key, value]);
    }
    return Object.fromEntries(pairs);
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
