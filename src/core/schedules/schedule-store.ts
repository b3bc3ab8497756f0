import type { Kysely } from 'kysely';
import type { ListSchedulesQuery } from '../../contract/schedules.ts';
import type { TaskStatus } from '../../contract/task.ts';
import type { UserRow } from '../storage/rows/auth.ts';
import type { Database } from '../storage/database.ts';
import type { ScheduleRow } from '../storage/rows/schedules.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Schema } from '../storage/schema.ts';

/** A schedule with the state of its latest task. */
export type ListedSchedule = ScheduleRow & { last_status: TaskStatus | null };
export interface DuePosition {
  id: string;
  next_run_at: string | null;
}
export interface OpenRun {
  id: string;
  open_task_id: string;
  status: TaskStatus | null;
}

/** Rows of schedules. */
export class ScheduleStore {
  readonly #database: Database;
  readonly #find;
  readonly #findOwner;
  readonly #update;
  readonly #setRun;

  constructor(database: Database) {
    this.#database = database;
    const { read } = database;
    this.#find = prepareQuery<{ id: string }, ScheduleRow>((value) =>
      read.selectFrom('schedules').selectAll().where('id', '=', value('id')),
    );
    this.#findOwner = prepareQuery<{ id: string }, Pick<UserRow, 'role' | 'disabled_at'>>((value) =>
      read.selectFrom('users').select(['role', 'disabled_at']).where('id', '=', value('id')),
    );
    this.#update = prepareQuery<ScheduleRow, never>((value) =>
      read
        .updateTable('schedules')
        .set(Object.fromEntries(changing.map((column) => [column, value(column)])))
        .set((is) => ({ revision: is('revision', '+', 1) }))
        .where('id', '=', value('id'))
        .where('revision', '=', value('revision')),
    );
    this.#setRun = prepareQuery<{ id: string; task: string }, never>((value) =>
      read
        .updateTable('schedules')
        .set({ last_task_id: value('task'), open_task_id: value('task') })
        .where('id', '=', value('id')),
    );
  }

  async find(id: string, db: Kysely<Schema> = this.#database.read): Promise<ScheduleRow | undefined> {
    return (await db.executeQuery(this.#find({ id }))).rows[0];
  }

  /** The names of the schedules that are not done and whose tasks name a provider. */
  async namesUsing(provider: string): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('schedules')
      .select(['name', 'task'])
      .where('status', '!=', 'done')
      .where('task', 'like', `%${provider}%`)
      .orderBy('name')
      .execute();
    return rows.filter(({ task }) => namesProvider(JSON.parse(task), provider)).map(({ name }) => name);
  }

  async findOwner(
    id: string,
    db: Kysely<Schema>,
  ): Promise<Pick<UserRow, 'role' | 'disabled_at'> | undefined> {
    return (await db.executeQuery(this.#findOwner({ id }))).rows[0];
  }

  async insert(db: Kysely<Schema>, row: ScheduleRow): Promise<void> {
    await db.insertInto('schedules').values(row).execute();
  }

  /** Updates the row unless it changed since it was read; resolves to whether it did. */
  async update(db: Kysely<Schema>, row: ScheduleRow): Promise<boolean> {
    const { numAffectedRows = 0n } = await db.executeQuery(this.#update(row));
    return numAffectedRows > 0n;
  }

  async setRun(db: Kysely<Schema>, id: string, taskId: string): Promise<void> {
    await db.executeQuery(this.#setRun({ id, task: taskId }));
  }

  async remove(db: Kysely<Schema>, id: string): Promise<void> {
    await db.deleteFrom('schedules').where('id', '=', id).execute();
  }

  async findListed(id: string): Promise<ListedSchedule | undefined> {
    return this.#listed().where('schedules.id', '=', id).executeTakeFirst();
  }

  /** Sorted by next time, followed by schedules without one, newest first. */
  async list(
    ownerId: string | undefined,
    { status, limit, offset }: ListSchedulesQuery,
  ): Promise<{ rows: ListedSchedule[]; total: number }> {
    let counted = this.#database.read.selectFrom('schedules');
    let listed = this.#listed();
    if (ownerId !== undefined) {
      counted = counted.where('owner_id', '=', ownerId);
      listed = listed.where('schedules.owner_id', '=', ownerId);
    }
    if (status !== undefined) {
      counted = counted.where('status', '=', status);
      listed = listed.where('schedules.status', '=', status);
    }
    const [count, rows] = await Promise.all([
      counted.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst(),
      listed
        .orderBy(({ eb }) => eb('schedules.next_run_at', 'is', null))
        .orderBy('schedules.next_run_at')
        .orderBy('schedules.id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    ]);
    return { rows, total: count?.n ?? 0 };
  }

  /** Returns a page of due schedules in the order of their times. */
  due(until: string, after: DuePosition | undefined, limit: number): Promise<DuePosition[]> {
    let query = this.#database.read
      .selectFrom('schedules')
      .select(['id', 'next_run_at'])
      .where('next_run_at', '<=', until);
    if (after)
      query = query.where((is) =>
        is.eb(is.refTuple('next_run_at', 'id'), '>', is.tuple(after.next_run_at, after.id)),
      );
    return query.orderBy('next_run_at').orderBy('id').limit(limit).execute();
  }

  async earliest(): Promise<string | undefined> {
    const row = await this.#database.read
      .selectFrom('schedules')
      .select('next_run_at')
      .where('next_run_at', 'is not', null)
      .orderBy('next_run_at')
      .limit(1)
      .executeTakeFirst();
    return row?.next_run_at ?? undefined;
  }

  /** Returns a page of schedules that were planned after a moment. */
  plannedAfter(moment: string, after: string, limit: number): Promise<{ id: string }[]> {
    return this.#database.read
      .selectFrom('schedules')
      .select('id')
      .where('next_run_at', 'is not', null)
      .where('planned_at', '>', moment)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /** Returns a page of schedules with an unprocessed task, with the task's state. */
  async open(after: string, limit: number): Promise<OpenRun[]> {
    const rows = await this.#database.read
      .selectFrom('schedules')
      .leftJoin('tasks', 'tasks.id', 'schedules.open_task_id')
      .select(['schedules.id', 'schedules.open_task_id', 'tasks.status'])
      .where('schedules.open_task_id', 'is not', null)
      .where('schedules.id', '>', after)
      .orderBy('schedules.id')
      .limit(limit)
      .execute();
    return rows.flatMap(({ open_task_id, ...row }) =>
      open_task_id === null ? [] : [{ ...row, open_task_id }],
    );
  }

  #listed() {
    return this.#database.read
      .selectFrom('schedules')
      .leftJoin('tasks', 'tasks.id', 'schedules.last_task_id')
      .selectAll('schedules')
      .select('tasks.status as last_status');
  }
}

/** The columns that an update writes; the others never change, or change with an occurrence. */
const changing = [
  'name',
  'cron',
  'at',
  'timezone',
  'task',
  'env',
  'env_names',
  'may_command',
  'overlap',
  'catch_up',
  'max_failures',
  'status',
  'paused_reason',
  'next_run_at',
  'planned_at',
  'last_run_at',
  'open_task_id',
  'run_count',
  'skipped_count',
  'misfire_count',
  'failure_count',
  'waiting_count',
  'updated_at',
] as const satisfies readonly (keyof ScheduleRow)[];

const namesProvider = (task: { provider?: string; model?: string }, provider: string) =>
  task.provider === provider || (task.model?.startsWith(`${provider}/`) ?? false);
