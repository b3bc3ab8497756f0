export interface ExportQueueOptions<T> {
  maxQueue: number;
  maxBatch: number;
  /** How long the first item of a batch waits for others. */
  delayMs: number;
  /** Sends a batch; never rejects. */
  send: (batch: T[]) => Promise<void>;
  /** Counts items that found no room. */
  onDropped: (count: number) => void;
}

/** Collects items and sends them in batches, one after the other; what does not fit is dropped, without a wait. */
export class ExportQueue<T> {
  readonly #options: ExportQueueOptions<T>;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: ExportQueueOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    const { maxQueue, maxBatch, delayMs, onDropped } = this.#options;
    if (this.#waiting.length >= maxQueue) return onDropped(1);
    this.#waiting.push(item);
    if (this.#sending) return;
    if (this.#waiting.length >= maxBatch) void this.#send();
    else this.#timer ??= setTimeout(() => void this.#send(), delayMs).unref();
  }

  /** Sends what waits; resolves when all of it is sent or given up. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending) await (this.#sending ?? this.#send());
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, this.#options.maxBatch);
    this.#sending = this.#options.send(batch).finally(() => {
      this.#sending = undefined;
      const { delayMs, maxBatch } = this.#options;
      if (this.#waiting.length >= maxBatch) void this.#send();
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.#send(), delayMs).unref();
    });
    return this.#sending;
  }
}
