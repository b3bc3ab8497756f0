import { DatabaseSync } from 'node:sqlite';

export interface StoredEvent {
  taskId: string;
  type: string;
}
export interface StoredDelivery {
  id: string;
  hookId: string;
  taskId: string;
  event: string;
  body: string;
  status: string;
  /** Attempts that were recorded. */
  recorded: number;
}
export interface HookCounts {
  status: string;
  /** As its row counts. */
  delivered: number;
  failed: number;
  /** Attempts of its deliveries, by what they say. */
  taken: number;
  refused: number;
  gone: number;
  /** How often its owner was told that it fails. */
  told: number;
}
export interface StoredInbound {
  id: string;
  status: string;
  taskId: string;
  copies: number;
}

/** A stretch of time without its end: the load that comes next may begin in the same millisecond. */
export interface Stretch {
  from: string;
  to: string;
}

/** The rows of what goes out and comes in, read beside the daemon. */
export class OutsideRows {
  readonly #database: DatabaseSync;
  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
  }

  /** Events of tasks, those of each task in their order. */
  events({ from, to }: Stretch): StoredEvent[] {
    return this.#database
      .prepare(
        `select tasks.id, type from task_events join tasks on tasks.seq = task_seq
         where at >= ? and at < ? order by task_seq, task_events.seq`,
      )
      .all(from, to)
      .map(({ id, type }) => ({ taskId: String(id), type: String(type) }));
  }

  /** In the order in which they were written. */
  deliveries({ from, to }: Stretch): StoredDelivery[] {
    return this.#database
      .prepare(
        `select id, webhook_id, task_id, event, body, status, json_array_length(history) as recorded
         from webhook_deliveries where created_at >= ? and created_at < ? order by rowid`,
      )
      .all(from, to)
      .map((row) => ({
        id: String(row['id']),
        hookId: String(row['webhook_id']),
        taskId: String(row['task_id']),
        event: String(row['event']),
        body: String(row['body']),
        status: String(row['status']),
        recorded: Number(row['recorded']),
      }));
  }

  hasDelivery(id: string): boolean {
    return this.#database.prepare('select 1 from webhook_deliveries where id = ?').get(id) !== undefined;
  }

  countDeliveries(): number {
    return Number(this.#database.prepare('select count(*) as n from webhook_deliveries').get()?.['n']);
  }

  hookCounts(hookId: string): HookCounts {
    const row = this.#database
      .prepare(
        `select status, delivery_count as delivered, failure_count as failed,
           (select count(*) from notifications where type = 'webhook_failing' and data ->> 'webhookId' = webhooks.id) as told,
           attempts.* from webhooks,
           (select count(*) filter (where value ->> 'statusCode' = 200) as taken,
              count(*) filter (where value ->> 'statusCode' is not 200) as refused,
              count(*) filter (where value ->> 'statusCode' = 410) as gone
            from webhook_deliveries, json_each(history) where webhook_id = ?1) as attempts
         where webhooks.id = ?1`,
      )
      .get(hookId);
    const count = (name: string) => Number(row?.[name]);
    return {
      status: String(row?.['status']),
      delivered: count('delivered'),
      failed: count('failed'),
      taken: count('taken'),
      refused: count('refused'),
      gone: count('gone'),
      told: count('told'),
    };
  }

  /** Tasks that the issue itself made. */
  tasksOf(sourceId: string): string[] {
    return this.#database
      .prepare("select id from tasks where source = 'codehost' and source_id = ? and retried_from is null")
      .all(sourceId)
      .map(({ id }) => String(id));
  }

  /** Entries of what came in about an issue. */
  inboundOf(sourceId: string): StoredInbound[] {
    return this.#database
      .prepare('select id, status, task_id, copies from inbound_deliveries where source_id = ?')
      .all(sourceId)
      .map(({ id, status, task_id, copies }) => ({
        id: String(id),
        status: String(status),
        taskId: String(task_id),
        copies: Number(copies),
      }));
  }

  /** Schedules, with how many runs they count and how many there are. */
  schedules(): { id: string; runs: number; tasks: number }[] {
    return this.#database
      .prepare(
        `select id, run_count as runs,
           (select count(*) from tasks where source_id = schedules.id and retried_from is null) as tasks
         from schedules`,
      )
      .all()
      .map(({ id, runs, tasks }) => ({ id: String(id), runs: Number(runs), tasks: Number(tasks) }));
  }

  close(): void {
    this.#database.close();
  }
}
