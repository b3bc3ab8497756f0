import type { Kysely } from 'kysely';
import type { ApprovalOutbox } from '../approvals/approval-outbox.ts';
import type { Runtime } from '../runtime.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Schema } from '../storage/schema.ts';
import { openHeaders, sealHeaders } from './push-headers.ts';
import { pushBody } from './task-view.ts';

interface ApprovalNoticesDeps {
  keys: Pick<KeyRing, 'box'>;
  runtime: Pick<Runtime, 'newId'>;
}

/** Notifies other agents, in the transaction of an approval, that their task begins to wait or continues. */
export class ApprovalNotices implements ApprovalOutbox {
  readonly #deps: ApprovalNoticesDeps;
  constructor(deps: ApprovalNoticesDeps) {
    this.#deps = deps;
  }

  async addApproval({ db }: WriteTransaction, approval: ApprovalRow): Promise<void> {
    const { task_id: taskId } = approval;
    if (taskId === null) return;
    const configs = await db
      .selectFrom('notify_deliveries')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('status', '=', 'waiting')
      .where('context_id', 'is not', null)
      .orderBy('id')
      .execute();
    // With another call that waits, the state stays as it was.
    if (configs.length === 0 || (await hasOtherPending(db, approval, taskId))) return;
    const task = await db
      .selectFrom('tasks')
      .select(['id', 'status', 'result', 'error'])
      .where('id', '=', taskId)
      .executeTakeFirst();
    if (task?.status !== 'in_progress') return;
    await dropStates(db, taskId);
    const { keys, runtime } = this.#deps;
    const at = approval.decided_at ?? approval.requested_at;
    for (const config of configs) {
      const id = runtime.newId('dlv');
      const isWaiting = approval.status === 'pending';
      await db
        .insertInto('notify_deliveries')
        .values({
          ...config,
          id,
          headers: sealHeaders(keys.box, id, openHeaders(keys.box, config)),
          body: pushBody(
            { ...task, updated_at: at },
            { contextId: config.context_id ?? '', protocol: config.protocol, isWaiting },
          ),
          status: 'due',
          next_attempt_at: at,
          created_at: at,
          approval_id: approval.id,
        })
        .execute();
    }
  }
}

/** Drops what tells of an earlier state of the task and has not arrived: a retry of it would come after the newer state. */
export async function dropStates(db: Kysely<Schema>, taskId: string): Promise<void> {
  await db
    .deleteFrom('notify_deliveries')
    .where('task_id', '=', taskId)
    .where('approval_id', 'is not', null)
    .where('ended_at', 'is', null)
    .execute();
}

async function hasOtherPending(db: Kysely<Schema>, { id }: ApprovalRow, taskId: string): Promise<boolean> {
  const other = await db
    .selectFrom('approvals')
    .select('id')
    .where('task_id', '=', taskId)
    .where('status', '=', 'pending')
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
