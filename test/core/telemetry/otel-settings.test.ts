import { describe, expect, it } from 'vitest';
import { readOtelSettings } from '../../../src/core/telemetry/otel-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

describe('the standard variables', () => {
  it('one endpoint is that of both signals', () => {
    const { traces, metrics, warnings } = readOtelSettings(endpoint);
    expect(traces).toMatchObject({ url: 'http://collector:4318/v1/traces', timeoutMs: 10_000 });
    expect(metrics).toMatchObject({ url: 'http://collector:4318/v1/metrics' });
    expect(warnings).toEqual([]);
  });

  it('variables of a signal take precedence over those of both', () => {
    const { traces, metrics } = readOtelSettings({
      ...endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/own',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=two%20words',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'c=3',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '700',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    expect(traces).toEqual({
      url: 'https://traces.example/own',
      headers: { c: '3' },
      timeoutMs: 500,
      isCompressed: true,
    });
    expect(metrics).toMatchObject({ headers: { a: '1', b: 'two words' }, timeoutMs: 700 });
  });

  it('an exporter of the name none is off, and otlp without an endpoint sends to the default one', () => {
    expect(readOtelSettings({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }).metrics).toBeUndefined();
    const { traces, metrics } = readOtelSettings({ OTEL_TRACES_EXPORTER: 'otlp' });
    expect(traces?.url).toBe('http://localhost:4318/v1/traces');
    expect(metrics).toBeUndefined();
  });

  it('the name and attributes of the service are those of its resource', () => {
    const { resource } = readOtelSettings({
      OTEL_SERVICE_NAME: 'agents',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=core%2Cinfra,',
    });
    expect(resource).toEqual({ 'service.name': 'agents', team: 'core,infra' });
  });

  it('an invalid value is ignored with a warning that does not repeat a secret', () => {
    const { batch, warnings, traces } = readOtelSettings({
      ...endpoint,
      OTEL_BSP_MAX_QUEUE_SIZE: '-1',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100000',
      OTEL_BSP_SCHEDULE_DELAY: 'soon',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '7',
      OTEL_METRICS_EXPORTER: 'console',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization planted,x=%zz,y=1%0d%0aEvil: 1,z=ok',
    });
    expect(batch).toEqual({ maxQueue: 2048, maxBatch: 2048, delayMs: 5000 });
    expect(traces?.headers).toEqual({ z: 'ok' });
    expect(warnings).toHaveLength(8);
    expect(warnings.join()).not.toContain('planted');
  });

  it.each(['grpc', 'http/protobuf'])('refuses the protocol %s, and names the one it has', (protocol) => {
    expect(() => readOtelSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol })).toThrow(
      /http\/json/,
    );
    expect(() =>
      readOtelSettings({
        ...endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
      }),
    ).not.toThrow();
  });

  it.each(['collector:4318', 'ftp://collector', 'user:planted'])('refuses the endpoint %s', (url) => {
    expect(() => readOtelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toThrow(/not the URL/);
    expect(() => readOtelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).not.toThrow(/planted/);
  });
});
