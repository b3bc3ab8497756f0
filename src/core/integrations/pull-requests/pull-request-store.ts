import type { PullRequest } from '../../../contract/changes.ts';
import type { TaskResult } from '../../../contract/task.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import { storableJson } from '../../storage/storable-text.ts';
import type { FollowUpRow, PullRequestRow } from '../../storage/rows/pull-requests.ts';

/** The rows of branches at GitHub and their pull requests. */
export class PullRequestStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  /** The pull request by its branch; at GitHub, names of repositories are the same in any case. */
  async findByBranch(repository: string, branch: string): Promise<PullRequestRow | undefined> {
    const rows = await this.#database.read
      .selectFrom('pull_requests')
      .selectAll()
      .where('branch', '=', branch)
      .where('number', 'is not', null)
      .execute();
    return rows.find((row) => row.repository.toLowerCase() === repository.toLowerCase());
  }

  /** Whether the changes of a follow-up are pushed once it has completed. */
  async pushes(taskId: string): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('follow_ups')
      .select('pushes')
      .where('task_id', '=', taskId)
      .executeTakeFirst();
    return row?.pushes === 1;
  }

  /** Stores a follow-up of the pull request and counts it. */
  async addFollowUp({ db }: WriteTransaction, row: FollowUpRow): Promise<void> {
    await db.insertInto('follow_ups').values(row).execute();
    await db
      .updateTable('pull_requests')
      .set((is) => ({ follow_ups: is('follow_ups', '+', 1) }))
      .where('task_id', '=', row.worktree_task_id)
      .execute();
  }

  /** Stores what the branch has at GitHub now. */
  async putPush(
    { db }: WriteTransaction,
    row: Omit<PullRequestRow, 'number' | 'url' | 'follow_ups'>,
  ): Promise<void> {
    const { task_id: _, ...change } = row;
    await db
      .insertInto('pull_requests')
      .values({ ...row, number: null, url: null, follow_ups: 0 })
      .onConflict((conflict) => conflict.column('task_id').doUpdateSet(change))
      .execute();
  }

  /** Stores the pull request, also with the result of the task. */
  async putPullRequest(
    { db }: WriteTransaction,
    {
      worktreeTaskId,
      taskId,
      pullRequest,
    }: { worktreeTaskId: string; taskId: string; pullRequest: PullRequest },
  ): Promise<void> {
    await db.updateTable('pull_requests').set(pullRequest).where('task_id', '=', worktreeTaskId).execute();
    const row = await db.selectFrom('tasks').select('result').where('id', '=', taskId).executeTakeFirst();
    const result = row?.result ? (JSON.parse(row.result) as TaskResult) : undefined;
    if (!result?.changes) return;
    const changed: TaskResult = { ...result, changes: { ...result.changes, pullRequest } };
    await db
      .updateTable('tasks')
      .set({ result: storableJson(changed) })
      .where('id', '=', taskId)
      .execute();
  }
}
