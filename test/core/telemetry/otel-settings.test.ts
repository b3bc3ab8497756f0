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
      protocol: 'http/protobuf',
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

  it('the protocol is http/protobuf unless a variable names another one, for both signals or for one', () => {
    const protocolsOf = (env: Record<string, string>) => {
      const { traces, metrics, warnings } = readOtelSettings({ ...endpoint, ...env });
      return [traces?.protocol, metrics?.protocol, warnings.length];
    };
    expect(protocolsOf({})).toEqual(['http/protobuf', 'http/protobuf', 0]);
    expect(protocolsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })).toEqual(['http/json', 'http/json', 0]);
    expect(protocolsOf({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'HTTP/JSON' })).toEqual([
      'http/json',
      'http/protobuf',
      0,
    ]);
    const both = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    expect(protocolsOf({ ...both, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf' })).toEqual([
      'http/json',
      'http/protobuf',
      0,
    ]);
    // A warning for each signal.
    expect(protocolsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/xml' })).toEqual([
      'http/protobuf',
      'http/protobuf',
      2,
    ]);
  });

  it('refuses grpc where it applies, and says what to set', () => {
    const grpc = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(() => readOtelSettings(grpc)).toThrow(/OTEL_EXPORTER_OTLP_PROTOCOL.*http\/protobuf.*4318/);
    const traces = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
    expect(() => readOtelSettings(traces)).toThrow(/OTEL_EXPORTER_OTLP_TRACES_PROTOCOL/);
    expect(() => readOtelSettings({ ...traces, OTEL_TRACES_EXPORTER: 'none' })).not.toThrow();
    expect(() =>
      readOtelSettings({
        ...grpc,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
      }),
    ).not.toThrow();
  });

  it.each(['collector:4318', 'ftp://collector', 'user:planted'])('refuses the endpoint %s', (url) => {
    expect(() => readOtelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toThrow(/not the URL/);
    expect(() => readOtelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).not.toThrow(/planted/);
  });
});
