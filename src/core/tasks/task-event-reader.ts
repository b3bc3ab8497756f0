import { once } from 'node:events';
import type { TaskEvent } from '../../contract/task.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import type { EventBus } from '../events.ts';
import type { Database } from '../storage/database.ts';
import { toTaskEvent } from './task-mapping.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

const PAGE = 200;

/** Reads the events of a task, once or as they come. */
export class TaskEventReader {
  readonly #deps: { database: Database; store: TaskStore; bus: EventBus };
  constructor(deps: { database: Database; store: TaskStore; bus: EventBus }) {
    this.#deps = deps;
  }

  async list(caller: Caller, id: string, { after, limit }: { after: number; limit: number }) {
    const task = requireOwned(caller, await this.#deps.store.findHead(id), 'Task');
    const events = await this.#read(task.id, task.seq, after, limit + 1);
    const hasMore = events.length > limit;
    const shown = events.slice(0, limit);
    return { taskId: task.id, events: shown, count: shown.length, hasMore };
  }

  /**
   * All events after `after`, then each new one (unless it must not wait), until the task has ended or the signal aborts. A slow reader costs
   * nothing: news is only a reason to read on, and what is read comes from the store. Resolves to undefined when the
   * task has ended and nothing is left.
   */
  async follow(
    caller: Caller,
    id: string,
    after: number,
    signal: AbortSignal,
    waits = true,
  ): Promise<AsyncGenerator<TaskEvent> | undefined> {
    const task = requireOwned(caller, await this.#deps.store.findHead(id), 'Task');
    if (isTerminal(task.status) && after >= task.event_seq) return undefined;
    return this.#follow(task.id, task.seq, after, signal, waits);
  }

  async *#follow(
    id: string,
    taskSeq: number,
    after: number,
    signal: AbortSignal,
    waits: boolean,
  ): AsyncGenerator<TaskEvent> {
    const { store, bus } = this.#deps;
    const news = new EventTarget();
    let isStale = true;
    const unsubscribe = bus.on('task', ({ task }) => {
      if (task.id !== id) return;
      isStale = true;
      news.dispatchEvent(new Event('news'));
    });
    let last = after;
    try {
      while (!signal.aborted) {
        if (!isStale) await once(news, 'news', { signal });
        isStale = false;
        // The state is read before the events: what ends the task is then among the events read after it.
        const task = await store.findHead(id);
        for (let page: TaskEvent[] = []; ;) {
          page = await this.#read(id, taskSeq, last, PAGE);
          for (const event of page) {
            if (signal.aborted) return;
            yield event;
            last = event.seq;
          }
          if (page.length < PAGE) break;
        }
        if (!waits || !task || isTerminal(task.status)) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      unsubscribe();
    }
  }

  async #read(id: string, taskSeq: number, after: number, limit: number): Promise<TaskEvent[]> {
    const rows = await this.#deps.database.read
      .selectFrom('task_events')
      .select(['seq', 'type', 'at', 'message', 'data'])
      .where('task_seq', '=', taskSeq)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map((row) => toTaskEvent(id, row));
  }
}
