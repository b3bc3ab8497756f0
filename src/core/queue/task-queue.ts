export interface EnqueueOptions {
  /** 1 first, 4 last; 3 unless given. */
  priority?: number;
  /** Milliseconds before it may be delivered. */
  delayMs?: number;
}

/** Wakes workers: it carries ids only and may forget them, because the store knows what has to run. */
export interface TaskQueue {
  /** Delivers the id once; an id that already waits keeps its place, but a shorter delay holds. */
  enqueue(id: string, options?: EnqueueOptions): Promise<void>;
  /** Takes back an id that was not delivered yet. */
  remove(id: string): Promise<void>;
  /** Calls `handle` for at most `concurrency` ids at the same time; what it throws does not stop the queue. */
  start(handle: (id: string) => Promise<void>, options: { concurrency: number }): Promise<void>;
  /** Delivers no more and resolves when the deliveries under way have ended. */
  close(): Promise<void>;
}
