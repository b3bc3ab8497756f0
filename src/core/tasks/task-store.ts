import type { Kysely } from 'kysely';
import type { TaskError, TaskStatus } from '../../contract/task.ts';
import type { EventBus } from '../events.ts';
import type { Database, Engine, WriteTransaction } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { Schema } from '../storage/schema.ts';
import { inheritedSession } from './inherited-session.ts';
import { headColumns, type NewTask, type TaskChange, untouched } from './task-columns.ts';
import { type Claim, startedEvent } from './task-claim.ts';
import { type StoredTask, toTaskEvent } from './task-mapping.ts';
import type { NewEvent } from './new-event.ts';
import type { TaskOutbox } from './task-outbox.ts';
import { countDay, labelRows } from './task-side-rows.ts';
import { allows, type MoveName, moves } from './task-states.ts';
import { prepareClaim, prepareMove } from './task-updates.ts';

/** Tasks, their events and their counts: every write keeps the three together. */
export class TaskStore {
  readonly #db: Kysely<Schema>;
  readonly #engine: Engine;
  readonly #bus: EventBus;
  readonly #outbox: TaskOutbox | undefined;
  /** One update per set of changed columns. */
  readonly #moves = new Map<string, ReturnType<typeof prepareMove>>();
  readonly #find;
  readonly #findHead;
  readonly #lockHead;
  readonly #addEvents;
  readonly #claim;

  constructor(database: Database, bus: EventBus, outbox?: TaskOutbox) {
    this.#outbox = outbox;
    const db = (this.#db = database.read);
    this.#engine = database.engine;
    this.#bus = bus;
    this.#find = prepareQuery<{ id: string }, StoredTask>((value) =>
      db.selectFrom('tasks').selectAll().where('id', '=', value('id')),
    );
    this.#findHead = prepareQuery<{ id: string }, TaskHead>((value) =>
      db.selectFrom('tasks').select(headColumns).where('id', '=', value('id')),
    );
    this.#lockHead = prepareQuery<{ id: string }, TaskHead>((value) =>
      this.#engine.lock(db.selectFrom('tasks').select(headColumns).where('id', '=', value('id'))),
    );
    this.#claim = prepareClaim(db);
    this.#addEvents = prepareQuery<
      { id: string; status: TaskStatus; fence: number; count: number },
      { event_seq: number }
    >((value) =>
      db
        .updateTable('tasks')
        .set((is) => ({ event_seq: is('event_seq', '+', value('count')) }))
        .where('id', '=', value('id'))
        .where('status', '=', value('status'))
        .where('fence', '=', value('fence'))
        .returning('event_seq'),
    );
  }

  async find(id: string): Promise<StoredTask | undefined> {
    return (await this.#db.executeQuery(this.#find({ id }))).rows[0];
  }

  async findHead(id: string): Promise<TaskHead | undefined> {
    return (await this.#db.executeQuery(this.#findHead({ id }))).rows[0];
  }

  /** The task stays where it is until the commit, so that a guarded move cannot miss. */
  async lockHead({ db }: Pick<WriteTransaction, 'db'>, id: string): Promise<TaskHead | undefined> {
    return (await db.executeQuery(this.#lockHead({ id }))).rows[0];
  }

  /** The same of several. */
  lockHeads({ db }: Pick<WriteTransaction, 'db'>, ids: readonly string[]): Promise<TaskHead[]> {
    return this.#engine
      .lock(db.selectFrom('tasks').select(headColumns).where('id', 'in', ids).orderBy('seq'))
      .execute();
  }

  /** Whether a task that is not finished continues this one; for one on hold, `released`, whether another that is not. */
  async isContinued({ db }: Pick<WriteTransaction, 'db'>, id: string, released?: string): Promise<boolean> {
    let query = db
      .selectFrom('tasks')
      .select('id')
      .where('continues', '=', id)
      .where('status', 'in', ['pending', 'queued', 'in_progress']);
    if (released !== undefined) query = query.where('id', '!=', released).where('held', '=', 0);
    return (await query.limit(1).executeTakeFirst()) !== undefined;
  }

  /** The directory of the session in which the agent worked on the task, if it has named one, and its host. */
  findSession(id: string, agent: string): Promise<{ cwd: string; host: string } | undefined> {
    return inheritedSession(this.#db, id, agent);
  }

  /** Whether it was created for a review or a failed check. */
  async isFollowUp(id: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('follow_ups')
      .select('task_id')
      .where('task_id', '=', id)
      .executeTakeFirst();
    return row !== undefined;
  }

  /**
   * Adds untrusted text to the prompt of a task that no run has seen and none sees before `now`, and that no person has
   * vouched for; answers false for any other.
   */
  async addToPrompt(
    { db }: WriteTransaction,
    { id, seq }: TaskHead,
    { text, now }: { text: string; now: Date },
  ): Promise<boolean> {
    const found = db
      .selectFrom('tasks')
      .select('prompt')
      .where('id', '=', id)
      .where('attempts', '=', 0)
      .where('is_trusted', '=', 0)
      .where((is) =>
        is.or([
          is('status', '=', 'pending'),
          is.and([is('status', '=', 'queued'), is('scheduled_for', '>', now.toISOString())]),
        ]),
      );
    const row = await this.#engine.lock(found).executeTakeFirst();
    if (!row) return false;
    const prompt = `${row.prompt ?? ''}${text}`;
    await this.#engine.changeText(db, seq, async () => {
      await db.updateTable('tasks').set({ prompt }).where('id', '=', id).execute();
    });
    return true;
  }

  /** The candidates of a task that are not finished; in a transaction they stay where they are until the commit. */
  openCandidates(id: string, transaction?: Pick<WriteTransaction, 'db'>): Promise<TaskHead[]> {
    const open = (transaction?.db ?? this.#db)
      .selectFrom('tasks')
      .select(headColumns)
      .where('parent_id', '=', id)
      .where('status', 'in', ['pending', 'queued', 'in_progress'])
      .orderBy('seq');
    return (transaction ? this.#engine.lock(open) : open).execute();
  }

  /** Why the last attempt of the task failed, as stored before this change. */
  async lastError({ db }: WriteTransaction, { seq }: TaskHead): Promise<TaskError | undefined> {
    const row = await db.selectFrom('tasks').select('error').where('seq', '=', seq).executeTakeFirst();
    return row?.error ? (JSON.parse(row.error) as TaskError) : undefined;
  }

  /**
   * Adds the task, at the end of the transaction unless it continues another one: of those the next work of the transaction
   * has to know.
   */
  async insert(transaction: WriteTransaction, task: NewTask, events: NewEvent[]): Promise<StoredTask> {
    const stored: StoredTask = {
      ...untouched,
      ...task,
      seq: this.#engine.nextTaskSeq(),
      event_seq: events.length,
    };
    if (stored.continues === null) transaction.insertLater('tasks', stored);
    else await transaction.db.insertInto('tasks').values(stored).execute();
    this.#engine.noteText(transaction, stored.seq);
    for (const row of labelRows(stored)) transaction.insertLater('task_labels', row);
    this.#count(transaction, stored, 1);
    countDay(transaction, stored, stored.created_at, 'created');
    // An imported task may already be finished.
    if (stored.completed_at !== null) countDay(transaction, stored, stored.completed_at, stored.status);
    this.#record(transaction, stored, task.updated_at, events);
    this.#outbox?.add(transaction, { task: stored, events });
    return stored;
  }

  /** Adds a task that is queued and claimed in the same transaction, as two changes of it. */
  async insertClaimed(
    transaction: WriteTransaction,
    queued: NewTask,
    change: TaskChange,
    events: NewEvent[],
  ): Promise<StoredTask> {
    const claimed = await this.insert(transaction, { ...queued, ...change, status: moves.claim.to }, events);
    const before: TaskHead = { ...claimed, ...untouched, ...queued };
    transaction.afterCommit(() => this.#bus.emit('task_moved', { before, task: claimed }));
    return claimed;
  }

  /**
   * Moves the task if it still is where `task` says, in one guarded update; answers undefined when another writer was
   * faster. `output` is what a run said that is to be tried again.
   */
  async move(
    transaction: WriteTransaction,
    task: TaskHead,
    move: MoveName,
    now: Date,
    change: TaskChange,
    events: NewEvent[],
    output?: string,
  ): Promise<TaskHead | undefined> {
    if (!allows(move, task.status)) throw new Error(`A task that is ${task.status} cannot ${move}`);
    const status: TaskStatus = moves[move].to;
    const updated_at = now.toISOString();
    const columns = Object.keys(change) as (keyof TaskChange)[];
    const name = columns.join();
    let query = this.#moves.get(name);
    if (!query) this.#moves.set(name, (query = prepareMove(this.#db, columns)));
    const row = await transaction.update(query, {
      ...change,
      id: task.id,
      status,
      updated_at,
      events: events.length,
      of_status: task.status,
      of_fence: task.fence,
    });
    if (!row) return undefined;
    const moved: TaskHead = { ...task, ...change, status, updated_at, event_seq: row.event_seq };
    this.#follow(transaction, task, moved, { change, events, output });
    return moved;
  }

  /** Keeps counts, events and messages with a change of the state of a task. */
  #follow(
    transaction: WriteTransaction,
    before: TaskHead,
    task: TaskHead,
    { change, events, output }: { change?: TaskChange; events: NewEvent[]; output?: string | undefined },
  ): void {
    this.#count(transaction, before, -1);
    this.#count(transaction, task, 1);
    countDay(transaction, task, task.updated_at, task.status);
    this.#record(transaction, task, task.updated_at, events);
    this.#outbox?.add(transaction, { task: { ...task, ...change }, before, events, output });
    transaction.afterCommit(() => this.#bus.emit('task_moved', { before, task }));
  }

  /** Claims a queued task that is due, in one guarded update; undefined where it is not queued, or not due. */
  async claim(
    transaction: WriteTransaction,
    id: string,
    claim: Claim,
    now: Date,
  ): Promise<StoredTask | undefined> {
    const task = await transaction.update(this.#claim, {
      ...claim,
      id,
      status: 'queued',
      now: now.toISOString(),
    });
    if (!task) return undefined;
    const before: TaskHead = {
      ...task,
      status: 'queued',
      agent_type: null,
      lease_owner: null,
      lease_until: null,
      // When an earlier attempt started is not known any more.
      started_at: task.fence === 1 ? null : task.started_at,
      attempts: task.attempts - 1,
      fence: task.fence - 1,
      event_seq: task.event_seq - 1,
    };
    this.#follow(transaction, before, task, { events: [startedEvent(task, claim.agent)] });
    return task;
  }

  /** Adds events to a task that still is where `task` says; answers false when it has moved. */
  async addEvents(
    transaction: WriteTransaction,
    task: TaskHead,
    now: Date,
    events: NewEvent[],
  ): Promise<boolean> {
    const { rows } = await transaction.db.executeQuery(
      this.#addEvents({ id: task.id, status: task.status, fence: task.fence, count: events.length }),
    );
    if (!rows[0]) return false;
    this.#record(transaction, { ...task, event_seq: rows[0].event_seq }, now.toISOString(), events);
    return true;
  }

  /** Removes finished tasks and updates the counts; their events are removed in steps afterwards. Daily counts stay. */
  async remove(transaction: WriteTransaction, tasks: TaskHead[]): Promise<void> {
    const { db } = transaction;
    const seqs = tasks.map(({ seq }) => seq);
    await this.#engine.forgetTexts(db, seqs);
    await db.deleteFrom('tasks').where('seq', 'in', seqs).execute();
    for (const { label, created_at, task_seq } of tasks.flatMap(labelRows))
      await db
        .deleteFrom('task_labels')
        .where('label', '=', label)
        .where('created_at', '=', created_at)
        .where('task_seq', '=', task_seq)
        .execute();
    await db
      .insertInto('removed_tasks')
      .values(seqs.map((task_seq) => ({ task_seq })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    for (const task of tasks) this.#count(transaction, task, -1);
  }

  #count(transaction: WriteTransaction, task: TaskHead, n: number): void {
    const duration =
      task.status === 'completed' && task.started_at && task.completed_at
        ? Date.parse(task.completed_at) - Date.parse(task.started_at)
        : 0;
    transaction.addLater(
      'task_counts',
      {
        owner_id: task.owner_id,
        status: task.status,
        priority: task.priority,
        source: task.source,
        agent: task.agent_type ?? '',
      },
      { n, duration: n * duration },
    );
  }

  /** Stores the newest events of the task, whose `event_seq` already counts them, and publishes them. */
  #record(transaction: WriteTransaction, task: TaskHead, at: string, events: NewEvent[]): void {
    const rows = events.map(({ type, message, data, at: happenedAt = at }, index) => ({
      task_seq: task.seq,
      seq: task.event_seq - events.length + index + 1,
      type,
      at: happenedAt,
      message,
      data: data ? JSON.stringify(data) : '{}',
    }));
    for (const row of rows) transaction.insertLater('task_events', row);
    transaction.afterCommit(() => {
      if (!this.#bus.has('task')) return;
      for (const row of rows) this.#bus.emit('task', { task, event: toTaskEvent(task.id, row) });
    });
  }
}
