import type { EventBus } from '../events.ts';
import { isTerminal } from './task-states.ts';

/** Notifies of single tasks that finish; listens to the bus only while a task is watched. */
export class TaskFinishWatcher {
  readonly #bus: EventBus;
  readonly #watchers = new Map<string, Set<() => void>>();
  #unsubscribe: (() => void) | undefined;

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /**
   * Calls back at each end of the task from now on, until the function that it answers is called. Whether it has ended
   * before is for the caller to look up, after this.
   */
  watch(taskId: string, onEnd: () => void): () => void {
    const watchers = this.#watchers.get(taskId) ?? new Set();
    this.#watchers.set(taskId, watchers.add(onEnd));
    this.#unsubscribe ??= this.#bus.on('task', ({ task }) => {
      if (isTerminal(task.status)) for (const notify of this.#watchers.get(task.id) ?? []) notify();
    });
    return () => {
      watchers.delete(onEnd);
      if (watchers.size === 0) this.#watchers.delete(taskId);
      if (this.#watchers.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  }
}
