import { Histogram, type MetricFamily } from '../metrics/metric-families.ts';

/** The metric of the semantic conventions for HTTP servers. */
export class HttpMetrics {
  readonly #durations = new Histogram([
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]);

  record({
    method,
    route,
    status,
    seconds,
  }: {
    method: string;
    route: string;
    status: number;
    seconds: number;
  }) {
    this.#durations.observe(
      {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': String(status),
        'url.scheme': 'http',
        ...(status >= 500 && { 'error.type': String(status) }),
      },
      seconds,
    );
  }

  families(): MetricFamily[] {
    return [
      {
        type: 'histogram',
        name: 'http.server.request.duration',
        help: 'Duration of requests',
        histogram: this.#durations,
      },
    ];
  }
}
