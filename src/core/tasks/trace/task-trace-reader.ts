import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TaskTrace } from '../../../contract/task-trace.ts';
import { type Caller, requireOwned } from '../../auth/caller.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { TaskEventRow } from '../../storage/rows/tasks.ts';
import { isTerminal } from '../task-states.ts';
import type { TaskStore } from '../task-store.ts';
import { TraceBuilder, type TracedEvent } from './trace-builder.ts';

const PAGE = 200;

export interface TaskTraceReaderDeps {
  database: Database;
  store: Pick<TaskStore, 'findHead'>;
  runtime: Pick<Runtime, 'now'>;
  /** How many events a trace reads, 20,000 by default; what the agent said is not among them. */
  maxEvents?: number;
}

/** Shows where the time of a task went, from its events alone. */
export class TaskTraceReader {
  readonly #deps: TaskTraceReaderDeps;
  constructor(deps: TaskTraceReaderDeps) {
    this.#deps = deps;
  }

  async read(caller: Caller, id: string): Promise<TaskTrace> {
    const { store, runtime, maxEvents = 20_000 } = this.#deps;
    const task = requireOwned(caller, await store.findHead(id), 'Task');
    const builder = new TraceBuilder(task.id, task.created_at);
    let last = 0;
    let left = maxEvents;
    for (let isMore = true; isMore && left > 0;) {
      // Reads are synchronous, and a task may have many events.
      if (last > 0) await nextTurn();
      const rows = await this.#page(task.seq, last, Math.min(PAGE, left));
      for (const row of rows) builder.add(toEvent(row));
      left -= rows.length;
      isMore = rows.length === PAGE;
      last = rows.at(-1)?.seq ?? last;
    }
    const now = task.completed_at ?? runtime.now().toISOString();
    const isTruncated = left <= 0 && last < task.event_seq;
    return {
      taskId: task.id,
      status: task.status,
      spans: builder.finish(now, isTerminal(task.status)),
      ...(isTruncated && { truncated: true as const }),
    };
  }

  #page(taskSeq: number, after: number, limit: number): Promise<Omit<TaskEventRow, 'task_seq'>[]> {
    return this.#deps.database.read
      .selectFrom('task_events')
      .select(['seq', 'type', 'at', 'message', 'data'])
      .where('task_seq', '=', taskSeq)
      .where('seq', '>', after)
      .where('type', '!=', 'output')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }
}

const toEvent = ({ type, at, message, data }: Omit<TaskEventRow, 'task_seq'>): TracedEvent => ({
  type: type as TracedEvent['type'],
  at,
  message,
  data: JSON.parse(data) as TracedEvent['data'],
});
