import {
  type OpenedPullRequest,
  type OpenPullRequest,
  openPullRequestSchema,
  type PushedChanges,
  type WaitingPublication,
} from '../../../contract/changes.ts';
import { isPublishing, type PublishingOperation } from '../../../contract/publishing.ts';
import { toApproval } from '../../approvals/to-approval.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import { type Caller, requireOwned } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';
import { areAdmins } from '../../chat/runs/run-rights.ts';
import { AppError } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { NotificationService } from '../../notifications/notification-service.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { ApprovalRow } from '../../storage/rows/approvals.ts';
import { commandOf } from './publication-approvals.ts';
import type { Publication, PublicationOutcome, PublicationStore } from './publication-store.ts';
import type { PullRequestService } from './pull-request-service.ts';

export interface PublicationsDeps {
  database: Database;
  approvalStore: Pick<ApprovalStore, 'find'>;
  publicationStore: PublicationStore;
  pullRequests: Pick<PullRequestService, 'push' | 'open'>;
  users: UserStore;
  notifications: NotificationService;
  bus: EventBus;
  log: Pick<Log, 'info' | 'warn'>;
  runtime: Runtime;
  reportBug: (error: unknown) => void;
}

interface PublishQuery {
  /** The approval that an earlier answer named. */
  approval?: string | undefined;
  address?: string | undefined;
}

/** Pushes and opens pull requests as people ask for them, and, where a person had to allow it first, once that has happened. */
export class Publications {
  readonly #deps: PublicationsDeps;
  /** By approval. */
  readonly #running = new Map<string, Promise<PublicationOutcome>>();
  #unsubscribe: (() => void) | undefined;
  constructor(deps: PublicationsDeps) {
    this.#deps = deps;
  }

  push(
    caller: Caller,
    id: string,
    { approval, address }: PublishQuery,
  ): Promise<PushedChanges | WaitingPublication> {
    return approval === undefined
      ? this.#deps.pullRequests.push(caller, id, { address })
      : this.#outcomeOf<PushedChanges>(caller, id, 'push_changes', approval);
  }

  open(
    caller: Caller,
    id: string,
    options: OpenPullRequest,
    { approval, address }: PublishQuery,
  ): Promise<OpenedPullRequest | WaitingPublication> {
    return approval === undefined
      ? this.#deps.pullRequests.open(caller, id, options, { address })
      : this.#outcomeOf<OpenedPullRequest>(caller, id, 'open_pull_request', approval);
  }

  /** Does what was allowed before an earlier daemon stopped. */
  async start(): Promise<void> {
    const { bus, publicationStore, reportBug } = this.#deps;
    this.#unsubscribe = bus.onLocal('approval', ({ row }) => {
      if (row.status === 'approved' && isPublishing({ toolName: row.tool })) this.#run(row).catch(reportBug);
    });
    for (const row of await publicationStore.listAllowed())
      if (row.used_at === null) this.#run(row).catch(reportBug);
      else
        await publicationStore.finish(row.id, {
          error: {
            code: 'conflict',
            message: `svc was stopped while it pushed. See what GitHub has, then request it again: ${commandOf(requestOf(row))}`,
          },
        });
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await Promise.allSettled(this.#running.values());
  }

  /** What came of a publication that waited for an approval. */
  async #outcomeOf<T>(
    caller: Caller,
    id: string,
    operation: PublishingOperation,
    approvalId: string,
  ): Promise<T | WaitingPublication> {
    const { approvalStore, runtime } = this.#deps;
    const row = requireOwned(caller, await approvalStore.find(approvalId), 'Approval');
    if (row.task_id !== id || row.tool !== operation)
      throw new AppError('not_found', 'This task has no such approval');
    if (row.status === 'denied')
      throw new AppError(
        'forbidden',
        row.denial_reason === null
          ? 'A person denied it. Nothing was pushed.'
          : `A person denied it and says: ${row.denial_reason}. Nothing was pushed.`,
      );
    if (row.status === 'pending' && row.expires_at > runtime.now().toISOString()) return waitingFor(row);
    if (row.status !== 'approved')
      throw new AppError(
        'wrong_state',
        `The approval expired without a decision. Request it again: ${commandOf(requestOf(row))}`,
      );
    const outcome = await this.#run(row);
    if ('error' in outcome) throw new AppError(outcome.error.code, outcome.error.message);
    return outcome.answer as T;
  }

  /** Publishes what was allowed; a second call joins the first, or gets what came of it. */
  #run(row: ApprovalRow): Promise<PublicationOutcome> {
    const running = this.#running.get(row.id);
    if (running) return running;
    const run = this.#publish(row).finally(() => this.#running.delete(row.id));
    this.#running.set(row.id, run);
    return run;
  }

  async #publish(row: ApprovalRow): Promise<PublicationOutcome> {
    const { publicationStore, log } = this.#deps;
    const found = await publicationStore.find(row.id);
    if (!found) throw new AppError('not_found', 'The task was deleted');
    if (found.outcome) return found.outcome;
    const { taskId } = found;
    let outcome: PublicationOutcome;
    try {
      outcome = { answer: await this.#try(row, found) };
      log.info({ taskId, approval: row.id }, 'an approved push was done');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      outcome = { error: { code: error.code, message: error.message } };
      log.warn({ taskId, approval: row.id, reason: error.message }, 'an approved push could not be done');
      await this.#notify(row, error.message);
    }
    await publicationStore.finish(row.id, outcome);
    return outcome;
  }

  async #try(decided: ApprovalRow, { taskId, options }: Publication): Promise<object> {
    const { users, pullRequests } = this.#deps;
    if (!(await areAdmins(users, decided.owner_id)))
      throw new AppError('forbidden', 'The owner of the task may not run commands any more');
    const owner = { userId: decided.owner_id, role: 'admin' } as const;
    if (decided.tool === 'push_changes') return pullRequests.push(owner, taskId, { decided });
    return pullRequests.open(owner, taskId, openPullRequestSchema.parse(options), { decided });
  }

  /** Who allowed it elsewhere does not see that it failed. */
  async #notify(row: ApprovalRow, reason: string): Promise<void> {
    const { database, notifications } = this.#deps;
    const { branch = '' } = JSON.parse(row.arguments) as { branch?: string };
    await database.write(async (transaction) =>
      notifications.add(transaction, {
        userId: row.owner_id,
        type: 'push_failed',
        title: `Not pushed: ${branch}`,
        message: reason,
        ...(row.task_id !== null && { taskId: row.task_id }),
        data: { approvalId: row.id },
      }),
    );
  }
}

const requestOf = ({ tool, task_id }: ApprovalRow) => ({
  operation: tool as PublishingOperation,
  taskId: task_id ?? '',
});

/** The answer while no person has decided, as the request got it. */
function waitingFor(row: ApprovalRow): WaitingPublication {
  const { repository, branch, commit } = JSON.parse(row.arguments) as Record<
    'repository' | 'branch' | 'commit',
    string
  >;
  return {
    message: `${branch} waits for an approval, because the work comes from text that svc does not trust`,
    status: 'waiting_for_approval',
    repository,
    branch,
    commit,
    committed: false,
    approval: toApproval(row),
  };
}
