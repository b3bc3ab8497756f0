import type { A2aMessage } from '../../contract/a2a-messages.ts';
import type { CreateTask } from '../../contract/task.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { A2aTaskStore } from './a2a-task-store.ts';
import type { A2aTaskRow } from './task-view.ts';

/**
 * The finished task of the caller that a message continues: the latest one that it refers to, or else the latest of its
 * context. Tasks of other owners are as if they were not there.
 */
export async function earlierTask(
  store: Pick<A2aTaskStore, 'lastFinished'>,
  { userId: ownerId }: Caller,
  { contextId, referenceTaskIds = [] }: Pick<A2aMessage, 'contextId' | 'referenceTaskIds'>,
): Promise<A2aTaskRow | undefined> {
  const where = { ownerId, contextId: contextId || undefined };
  const named =
    referenceTaskIds.length === 0
      ? undefined
      : await store.lastFinished({ ...where, ids: [...new Set(referenceTaskIds)] });
  return named ?? (where.contextId === undefined ? undefined : store.lastFinished(where));
}

interface Continuing {
  tasks: Pick<TaskService, 'continued'>;
  /** Whether the caller may have an agent work now. */
  mayName: (type: string) => boolean;
}

/**
 * The task as one that continues the session of the earlier one; undefined where that cannot be: its agent keeps no session or
 * may not be used, another agent is named, or its folder is gone.
 */
export async function continuing(
  { tasks, mayName }: Continuing,
  caller: Caller,
  input: CreateTask,
  earlier: A2aTaskRow,
): Promise<CreateTask | undefined> {
  try {
    const continued = await tasks.continued(caller, { ...input, continues: earlier.id });
    return continued.assignedAgent !== undefined && mayName(continued.assignedAgent) ? continued : undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** Creates the task that continues an earlier one; the plain one where there is none, or another task continues it. */
export async function createEither<T>(
  create: (input: CreateTask) => Promise<T>,
  { continued, plain }: { continued: CreateTask | undefined; plain: CreateTask },
): Promise<T> {
  if (!continued) return create(plain);
  try {
    return await create(continued);
  } catch (error) {
    if (isRefusal(error)) return create(plain);
    throw error;
  }
}

const isRefusal = (error: unknown) => error instanceof AppError && cannotContinue.has(error.code);
const cannotContinue: ReadonlySet<AppError['code']> = new Set(['not_found', 'validation', 'wrong_state']);
