import type { HistogramPoint, Labels, MetricFamily } from '../metrics/metric-families.ts';
import { scope, toKeyValues, toNanos, toResource } from './otlp-values.ts';

const CUMULATIVE = 2;
const units: [RegExp, string][] = [
  [/(?:_seconds|\.duration)$/, 's'],
  [/_bytes$/, 'By'],
  [/_usd$/, 'USD'],
  [/\.token\.usage$/, '{token}'],
];
/** Labels whose values the conventions want as numbers. */
const numbers: ReadonlySet<string> = new Set(['http.response.status_code']);

export interface MetricsRequestInput {
  families: readonly MetricFamily[];
  resource: Record<string, string>;
  /** Since when counts are counted, and until when; epoch milliseconds. */
  startedAt: number;
  now: number;
}

/** An `ExportMetricsServiceRequest`, and how many data points it has. */
export function toMetricsRequest({ families, resource, startedAt, now }: MetricsRequestInput) {
  const times = { startTimeUnixNano: toNanos(startedAt), timeUnixNano: toNanos(now) };
  const metrics = families.map((family) => toMetric(family, times)).filter(({ points }) => points.length > 0);
  return {
    count: metrics.reduce((sum, { points }) => sum + points.length, 0),
    request: {
      resourceMetrics: [
        {
          resource: toResource(resource),
          scopeMetrics: [{ scope, metrics: metrics.map(({ metric }) => metric) }],
        },
      ],
    },
  };
}

type Times = Record<'startTimeUnixNano' | 'timeUnixNano', string>;

function toMetric(family: MetricFamily, times: Times): { metric: object; points: object[] } {
  // The suffix is one of the Prometheus format, which a receiver for Prometheus adds again.
  const name = family.name.replace(/_total$/, '');
  const unit = units.find(([pattern]) => pattern.test(name))?.[1] ?? '1';
  const head = { name, description: family.help, unit };
  if (family.type === 'histogram') {
    const { bounds } = family.histogram;
    const points = family.histogram.points().map((point) => toHistogramPoint(point, bounds, times));
    return {
      points,
      metric: { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints: points } },
    };
  }
  const points = family.samples.map(([labels, asDouble]) => ({
    attributes: toAttributes(labels),
    ...times,
    asDouble,
  }));
  if (family.type === 'gauge') return { points, metric: { ...head, gauge: { dataPoints: points } } };
  const sum = { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points };
  return { points, metric: { ...head, sum } };
}

const toHistogramPoint = (
  { labels, counts, sum }: HistogramPoint,
  bounds: readonly number[],
  times: Times,
) => ({
  attributes: toAttributes(labels),
  ...times,
  count: String(counts.reduce((total, n) => total + n, 0)),
  sum,
  bucketCounts: counts.map(String),
  explicitBounds: bounds,
});

const toAttributes = (labels: Labels) =>
  toKeyValues(
    Object.entries(labels).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value] as const),
  );
