/** Runs the jobs of one key one after another, in the order in which they were enqueued. */
export class SerialByKey {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether a job of the key runs or waits. */
  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  async enqueue<T>(key: string, job: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(job, job);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
