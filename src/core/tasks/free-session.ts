import { AppError } from '../errors.ts';
import type { WriteTransaction } from '../storage/database.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

type Tasks = Pick<TaskStore, 'lockHead' | 'isContinued'>;

/**
 * Throws `wrong_state` if a task works in the session of this one, or is going to: itself, or one that continues it. What it
 * finds holds until the commit, so that of two writers that are about to continue it only one does. Tasks on hold count,
 * except for one that is `released`.
 */
export async function requireFreeSession(
  store: Tasks,
  transaction: WriteTransaction,
  id: string,
  released?: string,
): Promise<void> {
  // A task that was deleted leaves its session.
  const head = await store.lockHead(transaction, id);
  if (head && !isTerminal(head.status)) throw notFinished(head);
  await requireNotContinued(store, transaction, id, released);
}

/** Throws `wrong_state` if an unfinished task continues this one, which the transaction has locked. */
export async function requireNotContinued(
  store: Pick<Tasks, 'isContinued'>,
  transaction: WriteTransaction,
  id: string,
  released?: string,
): Promise<void> {
  if (await store.isContinued(transaction, id, released))
    throw new AppError('wrong_state', `Another task continues ${id} already. Wait until it has finished`);
}

export const notFinished = ({ status }: { status: string }): AppError =>
  new AppError('wrong_state', `A task that is ${status} cannot be continued`);
