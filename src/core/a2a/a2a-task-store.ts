import { type Kysely, sql } from 'kysely';
import type { A2aState } from '../../contract/a2a-messages.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { retriable } from '../tasks/task-states.ts';
import { type A2aTaskRow, statusesOf } from './task-view.ts';

export interface A2aTaskFilter {
  ownerId: string;
  contextId?: string | undefined;
  state?: A2aState | undefined;
  /** Only those that changed then or later. */
  since?: string | undefined;
}
interface Page {
  /** The last task of the page before. */
  after?: { updatedAt: string; id: string } | undefined;
  limit: number;
}

const waits = sql<number>`case when tasks.status = 'in_progress' and exists (
  select 1 from approvals where approvals.task_id = tasks.id and approvals.status = 'pending'
) then 1 else 0 end`;

/** The tasks that other agents sent. */
export class A2aTaskStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  find(id: string): Promise<A2aTaskRow | undefined> {
    return this.#rows(this.#database.read).where('tasks.id', '=', id).executeTakeFirst();
  }

  /** The one that finished last, of a context or of those with these ids. */
  lastFinished({
    ownerId,
    contextId,
    ids,
  }: Pick<A2aTaskFilter, 'ownerId' | 'contextId'> & { ids?: string[] }): Promise<A2aTaskRow | undefined> {
    let rows = this.#rows(this.#database.read)
      .where('request.owner_id', '=', ownerId)
      .where('tasks.status', 'in', retriable);
    if (contextId !== undefined) rows = rows.where('request.context_id', '=', contextId);
    if (ids) rows = rows.where('tasks.id', 'in', ids);
    return rows.orderBy('tasks.completed_at', 'desc').orderBy('tasks.id', 'desc').limit(1).executeTakeFirst();
  }

  /** The latest changed ones first. */
  list(filter: A2aTaskFilter, { after, limit }: Page): Promise<A2aTaskRow[]> {
    let rows = this.#filtered(filter);
    if (after)
      rows = rows.where((eb) =>
        eb.or([
          eb('tasks.updated_at', '<', after.updatedAt),
          eb.and([eb('tasks.updated_at', '=', after.updatedAt), eb('tasks.id', '<', after.id)]),
        ]),
      );
    return rows.orderBy('tasks.updated_at', 'desc').orderBy('tasks.id', 'desc').limit(limit).execute();
  }

  async count(filter: A2aTaskFilter): Promise<number> {
    const { n } = await this.#filtered(filter)
      .clearSelect()
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  }

  #filtered({ ownerId, contextId, state, since }: A2aTaskFilter) {
    const { longRead, engine } = this.#database;
    // One of many tasks takes long to find: not on the event loop.
    let rows = this.#rows(longRead).where(engine.inTime()).where('request.owner_id', '=', ownerId);
    if (contextId !== undefined) rows = rows.where('request.context_id', '=', contextId);
    if (since !== undefined) rows = rows.where('tasks.updated_at', '>=', since);
    if (state === undefined) return rows;
    if (state === 'TASK_STATE_AUTH_REQUIRED') return rows.where(waits, '=', 1);
    const statuses = statusesOf(state);
    if (statuses.length === 0) return rows.where(sql<boolean>`1 = 0`);
    rows = rows.where('tasks.status', 'in', statuses);
    return state === 'TASK_STATE_WORKING' ? rows.where(waits, '=', 0) : rows;
  }

  #rows(db: Kysely<Schema>) {
    return db
      .selectFrom('gateway_requests as request')
      .innerJoin('tasks', 'tasks.id', 'request.task_id')
      .where('request.context_id', 'is not', null)
      .select([
        'tasks.id',
        'tasks.owner_id',
        'tasks.status',
        'tasks.result',
        'tasks.error',
        'tasks.updated_at',
        'tasks.event_seq',
        'tasks.continues',
        waits.as('is_waiting'),
      ])
      .select((eb) => [
        eb.ref('request.context_id').$notNull().as('context_id'),
        eb.ref('request.message').$notNull().as('message'),
      ]);
  }
}
