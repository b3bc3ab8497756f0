import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TaskEvent } from '../../contract/task.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import type { EventBus } from '../events.ts';
import type { Database } from '../storage/database.ts';
import { type PageLimit, readEventPage } from './task-event-pages.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

/** What a reader who does not read on keeps in memory. */
const FOLLOWED: PageLimit = { count: 200, bytes: 64 * 1024 };
const LISTED_BYTES = 1024 * 1024;

/** Reads the events of a task, once or as they come. */
export class TaskEventReader {
  readonly #deps: { database: Database; store: TaskStore; bus: EventBus };
  constructor(deps: { database: Database; store: TaskStore; bus: EventBus }) {
    this.#deps = deps;
  }

  async list(caller: Caller, id: string, { after, limit }: { after: number; limit: number }) {
    const task = requireOwned(caller, await this.#deps.store.findHead(id), 'Task');
    const { events, hasMore } = await readEventPage(this.#deps.database, task, after, {
      count: limit,
      bytes: LISTED_BYTES,
    });
    return { taskId: task.id, events, count: events.length, hasMore };
  }

  /**
   * All events after `after`, then each new one (unless it must not wait), until the task is finished or the signal aborts. A slow reader costs
   * nothing: news is only a reason to read on, and what is read comes from the store. Resolves to undefined when the
   * task is finished and no event is left.
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
    const { database, store, bus } = this.#deps;
    const news = new EventTarget();
    let isStale = true;
    const look = () => {
      isStale = true;
      news.dispatchEvent(new Event('news'));
    };
    const unsubscribe = bus.on('task', ({ task }) => {
      if (task.id === id) look();
    });
    const stopLooking = bus.onDoubt(look);
    let last = after;
    try {
      while (!signal.aborted) {
        if (!isStale) await once(news, 'news', { signal });
        isStale = false;
        // The state is read before the events: what ends the task is then among the events read after it.
        const task = await store.findHead(id);
        for (let hasMore = true; hasMore;) {
          // Reads are synchronous: many readers of large tasks would stop everything else.
          if (last > after) await nextTurn();
          const page = await readEventPage(database, { id, seq: taskSeq }, last, FOLLOWED);
          ({ hasMore } = page);
          // Each is let go as it is passed on: a reader may take long over it.
          for (let event = page.events.shift(); event; event = page.events.shift()) {
            if (signal.aborted) return;
            last = event.seq;
            yield event;
          }
        }
        if (!waits || !task || isTerminal(task.status)) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      unsubscribe();
      stopLooking();
    }
  }
}
