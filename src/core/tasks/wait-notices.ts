import { setImmediate as breathe } from 'node:timers/promises';
import type { Database } from '../storage/database.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { Runtime } from '../runtime.ts';
import { type TaskPlacement, waitEvent } from './task-placement.ts';
import type { TaskScanStore } from './task-scan-store.ts';
import type { TaskStore } from './task-store.ts';

const PAGE = 500;

export interface WaitNoticesDeps {
  database: Database;
  store: TaskStore;
  scan: Pick<TaskScanStore, 'page'>;
  placement: Pick<TaskPlacement, 'missing'>;
  runtime: Pick<Runtime, 'now'>;
}

/** Adds to queued tasks why no daemon can run them any more, once for each reason. */
export class WaitNotices {
  readonly #deps: WaitNoticesDeps;
  constructor(deps: WaitNoticesDeps) {
    this.#deps = deps;
  }

  /** Looks at all queued tasks, because other daemons or agents are there than before. */
  async checkAll(): Promise<void> {
    for (let last: TaskHead | undefined; ;) {
      const page = await this.#deps.scan.page('queued', last, PAGE);
      for (const task of page) await this.check(task);
      if (page.length < PAGE) return;
      last = page.at(-1);
      await breathe();
    }
  }

  /** To be called with a task that is queued; answers whether a daemon can run it. */
  async check(task: TaskHead): Promise<boolean> {
    const { database, store, placement, runtime } = this.#deps;
    const missing = placement.missing(task);
    if (missing === undefined) return true;
    if (await this.#isSaid(task, missing.missing)) return false;
    await database.write(async (transaction) => {
      const now = await store.lockHead(transaction, task.id);
      // Another daemon may have said it at the same moment.
      if (now?.event_seq !== task.event_seq) return;
      await store.addEvents(transaction, now, runtime.now(), [waitEvent(missing)]);
    });
    return false;
  }

  /** Whether the newest event says it. */
  async #isSaid({ seq, event_seq }: TaskHead, message: string): Promise<boolean> {
    const event = await this.#deps.database.read
      .selectFrom('task_events')
      .select(['type', 'message'])
      .where('task_seq', '=', seq)
      .where('seq', '=', event_seq)
      .executeTakeFirst();
    return event?.type === 'waiting_for_agent' && event.message === message;
  }
}
