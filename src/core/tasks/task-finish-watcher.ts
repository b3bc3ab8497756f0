import type { EventBus } from '../events.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { isTerminal, retriable } from './task-states.ts';

/**
 * Notifies of single tasks that finish; listens to the bus only while a task is watched. The end of a task on another daemon
 * may be told more than once.
 */
export class TaskFinishWatcher {
  readonly #bus: EventBus;
  readonly #log: Pick<Log, 'warn'>;
  readonly #database: Pick<Database, 'read'>;
  readonly #watchers = new Map<string, Set<() => void>>();
  #unsubscribe: (() => void) | undefined;

  constructor(bus: EventBus, database: Pick<Database, 'read'>, log: Pick<Log, 'warn'>) {
    this.#bus = bus;
    this.#log = log;
    this.#database = database;
  }

  /**
   * Calls back at each end of the task from now on, until the function that it answers is called. Whether it has ended
   * before is for the caller to look up, after this.
   */
  watch(taskId: string, onEnd: () => void): () => void {
    const watchers = this.#watchers.get(taskId) ?? new Set();
    this.#watchers.set(taskId, watchers.add(onEnd));
    this.#unsubscribe ??= this.#listen();
    return () => {
      watchers.delete(onEnd);
      if (watchers.size === 0) this.#watchers.delete(taskId);
      if (this.#watchers.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  }

  #listen(): () => void {
    const unsubscribe = this.#bus.on('task', ({ task }) => {
      if (isTerminal(task.status)) this.#notify(task.id);
    });
    const stopLooking = this.#bus.onDoubt(() => {
      this.#look().catch((error: unknown) =>
        this.#log.warn(
          { reason: messageOf(error) },
          'the ends of tasks could not be looked up, which is tried again',
        ),
      );
    });
    return () => {
      unsubscribe();
      stopLooking();
    };
  }

  /** Notifies of tasks of whose end this daemon was not told. */
  async #look(): Promise<void> {
    const ids = [...this.#watchers.keys()];
    for (let at = 0; at < ids.length; at += 500) {
      const ended = await this.#database.read
        .selectFrom('tasks')
        .select('id')
        .where('id', 'in', ids.slice(at, at + 500))
        .where('status', 'in', retriable)
        .execute();
      for (const { id } of ended) this.#notify(id);
    }
  }

  #notify(taskId: string): void {
    for (const notify of this.#watchers.get(taskId) ?? []) notify();
  }
}
