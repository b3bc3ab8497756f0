import { describe, expect, it } from 'vitest';
import { RequestMetrics } from '../../../src/core/metrics/request-metrics.ts';

describe('request metrics', () => {
  it('request metrics contain the percentiles of each endpoint', () => {
    const metrics = new RequestMetrics(() => 0);
    for (let ms = 1; ms <= 100; ms++) metrics.record('GET', '/a', 200, ms);
    metrics.record('POST', '/a', 201, 5);
    const { endpoints } = metrics.read();
    expect(endpoints.map(({ method, count }) => [method, count])).toEqual([
      ['GET', 100],
      ['POST', 1],
    ]);
    const [get] = endpoints;
    expect(get?.p50).toBeGreaterThan(49);
    expect(get?.p50).toBeLessThan(51.5);
    expect(get?.p95).toBeGreaterThan(94);
    expect(get?.p95).toBeLessThan(96.5);
    expect(get?.p99).toBeGreaterThan(98);
    expect(get?.p99).toBeLessThan(100.5);
  });

  it('request metrics count only 5xx answers as errors', () => {
    const metrics = new RequestMetrics(() => 0);
    for (const status of [200, 201, 204, 301, 400, 404, 429, 499]) metrics.record('GET', '/a', status, 1);
    metrics.record('GET', '/a', 500, 1);
    metrics.record('GET', '/a', 503, 1);
    expect(metrics.read()).toMatchObject({ requests: { total: 10 }, errors: { total: 2, rate: 0.2 } });
  });

  it('request metrics contain the request rate of the last minute', () => {
    let now = 1000;
    const metrics = new RequestMetrics(() => now);
    expect(metrics.read().requests.perSecond).toBe(0);
    now += 100_000;
    for (let count = 0; count < 120; count++) metrics.record('GET', '/a', 200, 1);
    expect(metrics.read().requests.perSecond).toBe(2);
    now += 30_000;
    for (let count = 0; count < 60; count++) metrics.record('GET', '/a', 200, 1);
    expect(metrics.read().requests.perSecond).toBe(3);
    now += 31_000;
    expect(metrics.read().requests.perSecond).toBe(1);
    now += 1_000_000_000;
    expect(metrics.read().requests).toEqual({ total: 180, perSecond: 0 });
  });

  it('the request rate covers only the time since the start', () => {
    let now = 0;
    const metrics = new RequestMetrics(() => now);
    now = 10_000;
    for (let count = 0; count < 50; count++) metrics.record('GET', '/a', 200, 1);
    expect(metrics.read().requests.perSecond).toBe(5);
  });
});
