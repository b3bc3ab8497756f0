import type { TaskHead } from '../storage/rows/tasks.ts';
import type { TaskError } from '../../contract/task.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { WriteTransaction } from '../storage/database.ts';
import { storableJson } from '../storage/storable-text.ts';
import type { Runtime } from '../runtime.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';
import type { NewEvent } from './new-event.ts';
import type { TaskStore } from './task-store.ts';

export interface FailureParts {
  store: TaskStore;
  deadLetters: DeadLetterStore;
  notifications: NotificationService;
  runtime: Runtime;
}

/**
 * Ends a task as failed, with its one dead letter and the one notification of its owner, in the same transaction;
 * or without them if its client or its parent reports the failure. Returns undefined when the claim was over.
 */
export async function failForGood(
  { store, deadLetters, notifications, runtime }: FailureParts,
  transaction: WriteTransaction,
  task: TaskHead,
  error: TaskError,
  { result, isAttached = false }: { result?: string; isAttached?: boolean } = {},
): Promise<TaskHead | undefined> {
  const isReported = isAttached || task.parent_id !== null;
  const now = runtime.now();
  const at = now.toISOString();
  const deadLetterId = runtime.newId('dlq');
  const deadLettered: NewEvent = {
    type: 'dead_lettered',
    message: 'The task is in the dead-letter queue',
    data: { deadLetterId },
  };
  const failed = await store.move(
    transaction,
    task,
    'fail',
    now,
    {
      completed_at: at,
      lease_owner: null,
      lease_until: null,
      error: storableJson(error),
      ...(result !== undefined && { result }),
    },
    [
      {
        type: 'failed',
        message: error.message,
        data: { class: error.class, code: error.code, attempts: task.attempts },
      },
      ...(isReported ? [] : [deadLettered]),
    ],
  );
  if (!failed || isReported) return failed;
  await deadLetters.insert(transaction, { id: deadLetterId, task: failed, error, at });
  notifications.add(transaction, {
    userId: task.owner_id,
    type: 'task_dead_lettered',
    title: `Task failed: ${task.title}`.slice(0, 500),
    message: error.message,
    taskId: task.id,
    data: { deadLetterId, class: error.class, attempts: task.attempts },
  });
  return failed;
}
