import { type Kysely, sql } from 'kysely';
import type { TaskStatus } from '../../contract/task.ts';
import { type PreparedUpdate, prepareUpdate } from '../storage/prepared-update.ts';
import type { Schema } from '../storage/schema.ts';
import type { Claim } from './task-claim.ts';
import { columnsWhere, type TaskChange } from './task-columns.ts';
import type { StoredTask } from './task-mapping.ts';
import { moves } from './task-states.ts';

type ClaimValues = Claim & { id: string; status: TaskStatus; now: string };
type MoveValues = TaskChange & {
  id: string;
  status: TaskStatus;
  updated_at: string;
  events: number;
  of_status: TaskStatus;
  of_fence: number;
};

/** SQLite returns no `tasks.*`, and `*` has the values as well where they are joined. */
const wholeTask = columnsWhere(() => true);

/** Claims a task that is still queued, and due. */
export const prepareClaim = (db: Kysely<Schema>): PreparedUpdate<ClaimValues, StoredTask> =>
  prepareUpdate<ClaimValues, StoredTask>(
    db,
    {
      id: 'id',
      status: 'status',
      agent: 'agent_type',
      workerId: 'lease_owner',
      leaseUntil: 'lease_until',
      daemon: 'daemon',
      host: 'home',
      now: 'started_at',
    },
    (tasks, value) =>
      tasks
        .set({
          status: moves.claim.to,
          agent_type: value('agent'),
          lease_owner: value('workerId'),
          lease_until: value('leaseUntil'),
          started_at: value('now'),
          updated_at: value('now'),
          scheduled_for: null,
          daemon: value('daemon'),
        })
        .set((is) => ({
          // Its other runs need what this one does there.
          home: sql`case when ${is.ref('cwd')} is null then ${is.ref('home')} else coalesce(${is.ref('home')}, ${value('host')}) end`,
          attempts: is('attempts', '+', sql.lit(1)),
          fence: is('fence', '+', sql.lit(1)),
          event_seq: is('event_seq', '+', sql.lit(1)),
        }))
        .where('id', '=', value('id'))
        .where('status', '=', value('status'))
        .where((is) => is.or([is('scheduled_for', 'is', null), is('scheduled_for', '<=', value('now'))]))
        .returning(wholeTask),
  );

/** Changes these columns of a task that still is where `of_status` and `of_fence` say, and counts its events. */
export const prepareMove = (
  db: Kysely<Schema>,
  columns: (keyof TaskChange)[],
): PreparedUpdate<MoveValues, { id: string; event_seq: number }> =>
  prepareUpdate<MoveValues, { id: string; event_seq: number }>(
    db,
    {
      ...Object.fromEntries(columns.map((column) => [column, column])),
      id: 'id',
      status: 'status',
      updated_at: 'updated_at',
      events: 'event_seq',
      of_status: 'status',
      of_fence: 'fence',
    },
    (tasks, value) =>
      tasks
        .set({ status: value('status'), updated_at: value('updated_at') })
        .set((is) => ({ event_seq: is('event_seq', '+', value('events')) }))
        .set(Object.fromEntries(columns.map((column) => [column, value(column)])))
        .where('id', '=', value('id'))
        .where('status', '=', value('of_status'))
        .where('fence', '=', value('of_fence'))
        .returning(['id', 'event_seq']),
  );
