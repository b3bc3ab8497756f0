import type { Task } from '../../contract/task.ts';
import type { AgentGrant } from '../agents/agent-grant.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { WholeTask } from './task-columns.ts';

/** What a route creates a task for. */
export interface TaskPurpose<T> {
  /** The route, so that one idempotency key may serve on two. */
  scope: string;
  key: string | undefined;
  /** What has to be the same when the key comes again. */
  body: unknown;
  /** Returns an existing task to use instead of a new one, if any; called inside the transaction. */
  instead?: (transaction: WriteTransaction) => Promise<T | undefined>;
  /** Runs once the caller's rights are checked, before anything is stored; not for a key that came before. */
  before?: (row: WholeTask) => Promise<void>;
  /** Inserts what belongs to the task, and answers what is answered again to the same key. */
  attach: (transaction: WriteTransaction, task: Task) => T | Promise<T>;
  /** The task of which this one is a candidate. */
  parentId?: string;
  /** The environment variables as they are stored elsewhere, sealed for the same owner. */
  environment?: Pick<WholeTask, 'env' | 'env_names'> | undefined;
  /** True for a prompt that must never be taken for a command. */
  isText?: boolean;
  /** False if the prompt is untrusted text: its agent then gets fewer tools. */
  isTrusted?: boolean;
  /** True where a person waits for it in a conversation: it then waits behind no task. */
  isInteractive?: boolean;
  /** Why it waits until a person releases it. */
  hold?: string;
  /** The rule that lets its agent run programs in the sandbox, although the caller or the text may not. */
  grant?: AgentGrant | undefined;
  /** True where a person named the commands that verify it, although its text is untrusted. */
  isVerifyVouched?: boolean;
  /** Before this moment no run of it begins. */
  notBefore?: Date | undefined;
  /** True where `attach` neither reads nor writes, and there is no `key` and no `instead`. */
  isIndependent?: boolean;
}
