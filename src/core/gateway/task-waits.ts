import type { TaskFinishWatcher } from '../tasks/task-finish-watcher.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { TaskStore } from '../tasks/task-store.ts';

/** Requests that wait until their task has finished. */
export class TaskWaits {
  readonly #deps: { store: TaskStore; finishWatcher: TaskFinishWatcher };
  readonly #stopping = new AbortController();
  readonly #waits = new Set<Promise<unknown>>();

  constructor(deps: { store: TaskStore; finishWatcher: TaskFinishWatcher }) {
    this.#deps = deps;
  }

  /** Resolves to the finished task; to undefined after `ms`, when the signal aborts, or when the daemon stops. */
  async forEnd(taskId: string, ms: number, signal: AbortSignal): Promise<StoredTask | undefined> {
    const task = await this.untilEnd(taskId, ms, signal);
    return task && isTerminal(task.status) ? task : undefined;
  }

  /**
   * Resolves to the task as it is when it has finished, after `ms`, when the signal aborts, or when the daemon stops: it is
   * read before the database closes. Undefined where there is no such task any more.
   */
  untilEnd(taskId: string, ms: number, signal: AbortSignal): Promise<StoredTask | undefined> {
    const wait = this.#untilEnd(taskId, ms, AbortSignal.any([signal, this.#stopping.signal])).finally(() =>
      this.#waits.delete(wait),
    );
    this.#waits.add(wait);
    return wait;
  }

  /** Releases all current and future waits; resolves when they are done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#waits);
  }

  async #untilEnd(taskId: string, ms: number, signal: AbortSignal): Promise<StoredTask | undefined> {
    const { store, finishWatcher } = this.#deps;
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const unwatch = finishWatcher.watch(taskId, end);
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', () => end(), { once: true });
    try {
      // The task may have finished before the subscription.
      const task = await store.find(taskId);
      if (task && !isTerminal(task.status) && !signal.aborted) await isOver;
    } finally {
      clearTimeout(timer);
      unwatch();
    }
    return store.find(taskId);
  }
}
