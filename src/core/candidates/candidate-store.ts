import { choiceSchema, type Choice } from '../../contract/best-of.ts';
import type { Task } from '../../contract/task.ts';
import type { Runtime } from '../runtime.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { toTask } from '../tasks/task-mapping.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { TaskStore } from '../tasks/task-store.ts';

export interface CandidateStoreDeps {
  database: Database;
  taskStore: Pick<TaskStore, 'addEvents' | 'lockHead'>;
  runtime: Pick<Runtime, 'now'>;
}

/** Reads the candidates of tasks, and stores which of them was chosen. */
export class CandidateStore {
  readonly #deps: CandidateStoreDeps;
  constructor(deps: CandidateStoreDeps) {
    this.#deps = deps;
  }

  /** In the order in which they were created. */
  async list(parentId: string): Promise<Task[]> {
    const rows = await this.#deps.database.read
      .selectFrom('tasks')
      .selectAll()
      .where('parent_id', '=', parentId)
      .orderBy('seq')
      .execute();
    return rows.map(toTask);
  }

  async findByKey({ db }: WriteTransaction, parentId: string, key: string): Promise<string | undefined> {
    const row = await db
      .selectFrom('tasks')
      .select('id')
      .where('parent_id', '=', parentId)
      .where('idempotency_key', '=', key)
      .executeTakeFirst();
    return row?.id;
  }

  async choiceOf(parentId: string): Promise<Choice | undefined> {
    const row = await this.#deps.database.read
      .selectFrom('tasks')
      .select('choice')
      .where('id', '=', parentId)
      .executeTakeFirst();
    return row?.choice ? choiceSchema.parse(JSON.parse(row.choice)) : undefined;
  }

  /** Chooses for an unfinished task, once; resolves to the choice that holds, or undefined where the task has finished. */
  async choose(parentId: string, choice: Choice): Promise<Choice | undefined> {
    const { database, taskStore, runtime } = this.#deps;
    return database.write(async (transaction) => {
      const { db } = transaction;
      const parent = await taskStore.lockHead(transaction, parentId);
      if (!parent || isTerminal(parent.status)) return undefined;
      const { numUpdatedRows } = await db
        .updateTable('tasks')
        .set({ choice: JSON.stringify(choice) })
        .where('id', '=', parentId)
        .where('choice', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) {
        const row = await db
          .selectFrom('tasks')
          .select('choice')
          .where('id', '=', parentId)
          .executeTakeFirst();
        return row?.choice ? choiceSchema.parse(JSON.parse(row.choice)) : undefined;
      }
      await taskStore.addEvents(transaction, parent, runtime.now(), [
        { type: 'progress', message: `Chose ${choice.candidateId}: ${choice.reason}`, data: { choice } },
      ]);
      return choice;
    });
  }

  /** The unfinished candidates whose tasks have finished, as a daemon leaves them that dies. */
  async orphans(): Promise<string[]> {
    const rows = await this.#deps.database.read
      .selectFrom('tasks as candidates')
      .innerJoin('tasks as parents', 'parents.id', 'candidates.parent_id')
      .select('parents.id')
      .distinct()
      .where('candidates.status', 'in', ['pending', 'queued', 'in_progress'])
      .where('parents.status', 'in', ['completed', 'failed', 'cancelled'])
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Events of the candidate that say what it has used; those of its answer are many, and are not read. */
  async progressOf(candidateId: string): Promise<Record<string, unknown>[]> {
    const rows = await this.#deps.database.read
      .selectFrom('task_events')
      .innerJoin('tasks', 'tasks.seq', 'task_events.task_seq')
      .select('task_events.data')
      .where('tasks.id', '=', candidateId)
      .where('task_events.type', '=', 'progress')
      .orderBy('task_events.seq')
      .execute();
    return rows.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  }
}
