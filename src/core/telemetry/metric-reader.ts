import type { MetricFamily } from '../metrics/metric-families.ts';

export interface MetricReaderDeps {
  intervalMs: number;
  send: (families: MetricFamily[]) => Promise<void>;
  /** Logs what could not be read. */
  onError: (error: unknown) => void;
}

/** Reads all metrics at an interval, and once more at the end. */
export class MetricReader {
  readonly #deps: MetricReaderDeps;
  readonly #sources: (() => Promise<MetricFamily[]>)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(deps: MetricReaderDeps) {
    this.#deps = deps;
  }

  add(source: () => Promise<MetricFamily[]>): void {
    this.#sources.push(source);
  }

  start(): void {
    this.#timer = setInterval(() => void this.read(), this.#deps.intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects; one reading at a time. */
  read(): Promise<void> {
    this.#reading ??= this.#read()
      .catch(this.#deps.onError)
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const families = await Promise.all(this.#sources.map((source) => source()));
    await this.#deps.send(families.flat());
  }
}
