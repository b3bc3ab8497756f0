import type { TaskStatus } from '../../../contract/task.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import { inBatches } from '../../storage/in-batches.ts';
import type { SourceCommentRow } from '../../storage/rows/comments.ts';
import type { ReportedTask } from './comment-text.ts';

export type NewComment = Pick<
  SourceCommentRow,
  'task_id' | 'provider' | 'owner_id' | 'target' | 'created_at'
>;
export type CommentChange = Partial<
  Pick<
    SourceCommentRow,
    | 'comment_id'
    | 'written'
    | 'is_uncertain'
    | 'tried'
    | 'attempts'
    | 'next_attempt_at'
    | 'last_error'
    | 'ended_at'
  >
>;
/** The fields of a task that its comment reports. */
export type CommentedTask = ReportedTask & { status: TaskStatus };

/** Rows of source comments: what was written, and what has to be retried. */
export class SourceCommentStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  insert(transaction: WriteTransaction, comment: NewComment): void {
    transaction.insertLater('source_comments', {
      ...comment,
      comment_id: null,
      written: null,
      is_uncertain: 0,
      tried: null,
      attempts: 0,
      next_attempt_at: null,
      last_error: null,
      ended_at: null,
    });
  }

  find(taskId: string): Promise<SourceCommentRow | undefined> {
    return this.#database.read
      .selectFrom('source_comments')
      .selectAll()
      .where('task_id', '=', taskId)
      .executeTakeFirst();
  }

  findTask(taskId: string): Promise<CommentedTask | undefined> {
    return this.#database.read
      .selectFrom('tasks')
      .select(['id', 'status', 'attempts', 'result', 'error'])
      .where('id', '=', taskId)
      .executeTakeFirst();
  }

  /** Whether the task is waiting for an approval. */
  async waitsForPerson(taskId: string, now: string): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('approvals')
      .select('id')
      .where('status', '=', 'pending')
      .where('expires_at', '>', now)
      .where('task_id', '=', taskId)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Returns a page of unfinished comments. */
  open(after: string, limit: number): Promise<Pick<SourceCommentRow, 'task_id' | 'provider'>[]> {
    return this.#database.read
      .selectFrom('source_comments')
      .select(['task_id', 'provider'])
      .where('ended_at', 'is', null)
      .where('task_id', '>', after)
      .orderBy('task_id')
      .limit(limit)
      .execute();
  }

  /** Reopens finished comments about failed tasks that were since requeued from the dead letters. */
  async reopenRevived(): Promise<void> {
    const revived = await this.#database.read
      .selectFrom('source_comments as comment')
      .innerJoin('tasks', 'tasks.id', 'comment.task_id')
      .select('comment.task_id')
      .where('comment.written', '=', 'failed')
      .where('comment.ended_at', 'is not', null)
      .where('comment.last_error', 'is', null)
      .where('tasks.status', '!=', 'failed')
      .limit(500)
      .execute();
    if (revived.length === 0) return;
    const ids = revived.map(({ task_id }) => task_id);
    await this.#database.write(async ({ db }) => {
      await db.updateTable('source_comments').set({ ended_at: null }).where('task_id', 'in', ids).execute();
    });
  }

  async update(taskId: string, change: CommentChange): Promise<void> {
    await this.#database.write(async ({ db }) => {
      await db
        .updateTable('source_comments')
        .set(change)
        .where('task_id', '=', taskId)
        .where('ended_at', 'is', null)
        .execute();
    });
  }

  async removeEndedBefore(time: string): Promise<void> {
    const old = this.#database.read
      .selectFrom('source_comments')
      .select('task_id')
      .where('ended_at', '<', time);
    await inBatches(async (limit) => {
      const ids = (await old.limit(limit).execute()).map(({ task_id }) => task_id);
      if (ids.length === 0) return 0;
      await this.#database.write(({ db }) =>
        // Reopened in the meantime, it is needed.
        db.deleteFrom('source_comments').where('task_id', 'in', ids).where('ended_at', '<', time).execute(),
      );
      return ids.length;
    });
  }
}
