/** The values of a metric's labels, by name. */
export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

/** One series of a histogram. */
export interface Series {
  observe(value: number): void;
}

/** What a series of a histogram has counted; `counts` has one more entry than there are bounds. */
export interface HistogramPoint {
  labels: Labels;
  counts: readonly number[];
  sum: number;
}

/** A metric with what it has counted, or shows, at the moment. Names and units are those of Prometheus. */
export type MetricFamily =
  | { type: 'counter' | 'gauge'; name: string; help: string; samples: readonly Sample[] }
  | { type: 'histogram'; name: string; help: string; histogram: Histogram };

/** Counts events by label; a count never falls. */
export class Counter {
  readonly #series = new Map<string, { labels: Labels; value: number }>();

  add(labels: Labels, amount = 1): void {
    const key = formatLabels(labels);
    const series = this.#series.get(key);
    if (series) series.value += amount;
    else this.#series.set(key, { labels, value: amount });
  }

  samples(): Sample[] {
    return [...this.#series.values()].map(({ labels, value }) => [labels, value]);
  }
}

/** Counts values by label and by the smallest of the upper bounds that they fit under; the bounds rise. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { text: string; labels: Labels; counts: number[]; sum: number }>();

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    this.series(labels).observe(value);
  }

  /** The series of these labels, to keep where values come often. */
  series(labels: Labels): Series {
    const text = formatLabels(labels);
    const series = this.#series.get(text) ?? {
      text,
      labels,
      counts: this.#bounds.map(() => 0).concat(0),
      sum: 0,
    };
    this.#series.set(text, series);
    return {
      observe: (value) => {
        const bucket = this.#bounds.findIndex((bound) => value <= bound);
        series.counts[bucket === -1 ? this.#bounds.length : bucket]! += 1;
        series.sum += value;
      },
    };
  }

  get bounds(): readonly number[] {
    return this.#bounds;
  }

  points(): HistogramPoint[] {
    return [...this.#series.values()];
  }

  lines(name: string): string[] {
    return [...this.#series.values()].flatMap(({ text, counts, sum }) => {
      let count = 0;
      const buckets = counts.map((n, index) => {
        const le = `le="${this.#bounds[index] ?? '+Inf'}"`;
        return `${name}_bucket{${text && `${text},`}${le}} ${(count += n)}`;
      });
      const labels = text && `{${text}}`;
      return [...buckets, `${name}_sum${labels} ${formatValue(sum)}`, `${name}_count${labels} ${count}`];
    });
  }
}

/** Adds labels to every sample. */
export function withLabels(lines: readonly string[], labels: Labels): string[] {
  const added = formatLabels(labels);
  return lines.map((line) =>
    line.startsWith('#')
      ? line
      : line.replace(
          /^(\w+)(?:\{|(?= ))/,
          (head, name: string) => `${name}{${added}${head.endsWith('{') ? ',' : '}'}`,
        ),
  );
}

/** The lines of a metric; of a counter or a gauge without samples only the head. */
export function formatFamily(family: MetricFamily): string[] {
  const { type, name, help } = family;
  if (type === 'histogram') return [...formatHead(type, name, help), ...family.histogram.lines(name)];
  const lines = family.samples.map(([labels, value]) => {
    const text = formatLabels(labels);
    return `${name}${text && `{${text}}`} ${formatValue(value)}`;
  });
  return [...formatHead(type, name, help), ...lines];
}

const formatHead = (type: string, name: string, help: string) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const formatLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (each) => escapes[each] ?? each)}"`)
    .join();

/** Without an exponent: to the nanosecond, or the billionth of a dollar. */
const formatValue = (value: number): string =>
  Number.isInteger(value)
    ? String(value)
    : value
        .toFixed(9)
        .replace(/(?<!0)0+$/, '')
        .replace(/\.$/, '');
