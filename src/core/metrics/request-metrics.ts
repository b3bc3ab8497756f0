import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { Metrics } from '../../contract/health.ts';
import { Histogram, type Series } from '../metrics/metric-families.ts';

const WINDOW_SECONDS = 60;

interface Endpoint {
  method: string;
  route: string;
  errors: number;
  /** Microseconds. */
  latency: RecordableHistogram;
  seconds: Series;
}

/** Counts requests and their latencies per route; routes are the contract's, so their number is bounded. */
export class RequestMetrics {
  readonly seconds = new Histogram([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #seconds = Array.from({ length: WINDOW_SECONDS }, () => 0);
  readonly #monotonic: () => number;
  readonly #startedAt: number;
  #second = 0;
  #total = 0;
  #errors = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#startedAt = monotonic();
  }

  record(method: string, route: string, status: number, durationMs: number): void {
    const name = `${method} ${route}`;
    let endpoint = this.#endpoints.get(name);
    if (!endpoint) {
      const latency = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 2 });
      const seconds = this.seconds.series({ method, route });
      this.#endpoints.set(name, (endpoint = { method, route, errors: 0, latency, seconds }));
    }
    endpoint.latency.record(Math.max(1, Math.round(durationMs * 1000)));
    endpoint.seconds.observe(durationMs / 1000);
    this.#total++;
    if (status >= 500) {
      this.#errors++;
      endpoint.errors++;
    }
    this.#advance();
    this.#seconds[this.#second % WINDOW_SECONDS]! += 1;
  }

  read(): Metrics {
    this.#advance();
    const uptimeSeconds = Math.max(1, (this.#monotonic() - this.#startedAt) / 1000);
    const recent = this.#seconds.reduce((sum, n) => sum + n, 0);
    return {
      requests: { total: this.#total, perSecond: round(recent / Math.min(WINDOW_SECONDS, uptimeSeconds)) },
      errors: { total: this.#errors, rate: this.#total > 0 ? round(this.#errors / this.#total) : 0 },
      endpoints: [...this.#endpoints.values()].map(({ method, route, errors, latency }) => ({
        method,
        route,
        count: latency.count,
        errors,
        p50: milliseconds(latency.percentile(50)),
        p95: milliseconds(latency.percentile(95)),
        p99: milliseconds(latency.percentile(99)),
      })),
    };
  }

  /** Empties the slots of the seconds that have passed since the last request. */
  #advance(): void {
    const now = Math.floor((this.#monotonic() - this.#startedAt) / 1000);
    const passed = Math.min(now - this.#second, WINDOW_SECONDS);
    for (let step = 1; step <= passed; step++) this.#seconds[(this.#second + step) % WINDOW_SECONDS] = 0;
    this.#second = now;
  }
}

const round = (value: number) => Math.round(value * 1000) / 1000;
const milliseconds = (microseconds: number) => round(microseconds / 1000);
