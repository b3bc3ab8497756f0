import type { DeadLetter, ListDeadLettersQuery } from '../../contract/dlq.ts';
import type { FailureClass } from '../../contract/task.ts';
import {
  type Caller,
  mayRunCommands,
  requireCommandRights,
  requireOwned,
  visibleOwner,
} from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { DeadLetterRow } from '../storage/rows/dead-letters.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { Runtime } from '../runtime.ts';
import { nextTaskSpan } from '../telemetry/stored-context.ts';
import { type DeadLetterStore, toDeadLetter } from './dead-letter-store.ts';
import type { TaskAdmission } from './task-admission.ts';
import { leaveHome } from './fresh-start.ts';
import { requireFreeSession, requireNotContinued } from './free-session.ts';
import type { TaskPlacement } from './task-placement.ts';
import type { TaskStore } from './task-store.ts';

export interface DeadLetterServiceDeps {
  database: Database;
  store: TaskStore;
  deadLetters: DeadLetterStore;
  admission: TaskAdmission;
  placement: Pick<TaskPlacement, 'hasHost'>;
  bus: EventBus;
  runtime: Runtime;
}

/** Lists, retries and removes dead letters: tasks that have used up their attempts. */
export class DeadLetterService {
  readonly #deps: DeadLetterServiceDeps;
  constructor(deps: DeadLetterServiceDeps) {
    this.#deps = deps;
  }

  list(caller: Caller, query: ListDeadLettersQuery) {
    return this.#deps.deadLetters.list(query, visibleOwner(caller));
  }

  async get(caller: Caller, id: string): Promise<DeadLetter> {
    return toDeadLetter(requireOwned(caller, await this.#deps.deadLetters.find(id), 'Dead letter'));
  }

  /** Puts the same task back into the queue with all its attempts. */
  async retry(caller: Caller, id: string): Promise<DeadLetter> {
    const { store, runtime, admission, placement } = this.#deps;
    let revived: TaskHead | undefined;
    const item = await this.#close(
      caller,
      id,
      { status: 'resolved', resolution: 'retried', note: null },
      async (transaction, row, task) => {
        if (task?.status !== 'failed')
          throw new AppError('wrong_state', `The task of this dead letter is ${task?.status ?? 'gone'}`);
        if (task.best_of !== null)
          throw new AppError(
            'wrong_state',
            `A task with candidates starts over as another task: svc tasks retry ${task.id}`,
          );
        const { verify, continues } = await termsOf(transaction, task);
        if (verify !== null) requireCommandRights(caller);
        await requireNotContinued(store, transaction, task.id);
        if (continues !== null) await requireFreeSession(store, transaction, continues);
        if (startsAnew.has(row.class)) await forgetRun(transaction, task.id);
        const { home } = task;
        const hasLostHome = row.class === 'host_gone' && home !== null && !placement.hasHost(home);
        if (hasLostHome) await leaveHome(transaction, task);
        revived = await store.move(
          transaction,
          hasLostHome ? { ...task, home: null } : task,
          'revive',
          runtime.now(),
          {
            attempts: 0,
            crashes: 0,
            suspect: 0,
            forgiven: 0,
            crash_log: null,
            may_command: task.may_command === 1 && mayRunCommands(caller) ? 1 : 0,
            agent_type: null,
            completed_at: null,
            scheduled_for: null,
            error: null,
            result: null,
            trace_context: nextTaskSpan(task.trace_context, runtime),
          },
          [
            {
              type: 'requeued',
              message: 'Taken back from the dead-letter queue',
              data: { deadLetterId: id },
            },
          ],
        );
      },
    );
    if (revived) await admission.wake(revived);
    return item;
  }

  /** Gives the task up: it stays failed. */
  discard(caller: Caller, id: string): Promise<DeadLetter> {
    return this.#close(caller, id, { status: 'discarded', resolution: null, note: null });
  }

  /** Marks the item as handled by hand. */
  resolve(caller: Caller, id: string, note: string | undefined): Promise<DeadLetter> {
    return this.#close(caller, id, { status: 'resolved', resolution: 'manual', note: note ?? null });
  }

  #close(
    caller: Caller,
    id: string,
    change: Pick<DeadLetterRow, 'status' | 'resolution' | 'note'>,
    alsoDo: (
      transaction: WriteTransaction,
      row: DeadLetterRow,
      task: TaskHead | undefined,
    ) => Promise<void> = async () => undefined,
  ): Promise<DeadLetter> {
    const { database, store, deadLetters, runtime, bus } = this.#deps;
    return database.write(async (transaction) => {
      const find = async () =>
        requireOwned(caller, await deadLetters.find(id, transaction.db), 'Dead letter');
      const row = await find();
      // The task first, as where it is deleted: two that lock them in different orders wait in a circle.
      const task = await store.lockHead(transaction, row.task_id);
      const resolved_at = runtime.now().toISOString();
      const item = await deadLetters.close(transaction, id, { ...change, resolved_at });
      // Another request may have closed it since it was read.
      if (!item) throw new AppError('wrong_state', `This dead letter is already ${(await find()).status}`);
      await alsoDo(transaction, row, task);
      await caller.auditEntry?.append(transaction);
      transaction.afterCommit(() => bus.emit('queue', undefined));
      return item;
    });
  }
}

/** Failures of a run that finished: continuing it would fail in the same way. */
const startsAnew: ReadonlySet<string> = new Set<FailureClass>(['verify_failed', 'invalid_output', 'budget']);

const termsOf = ({ db }: WriteTransaction, { seq }: TaskHead) =>
  db.selectFrom('tasks').select(['verify', 'continues']).where('seq', '=', seq).executeTakeFirstOrThrow();

/** The next attempt begins where the task began, not where its last run ended. */
async function forgetRun({ db }: WriteTransaction, taskId: string): Promise<void> {
  await db.updateTable('agent_runs').set({ state: null }).where('task_id', '=', taskId).execute();
}
