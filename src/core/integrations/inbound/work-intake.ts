import type { InboundAnswer } from '../../../contract/inbound.ts';
import type { ProviderName } from '../../../contract/oauth.ts';
import type { Caller } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import type { SourceComments } from '../comments/source-comments.ts';
import type { ClaimStore } from './claim-store.ts';
import type { Delivery, DeliveryLog, Outcome, WrittenOutcome } from './delivery-log.ts';
import { fitTask } from './fit-task.ts';
import { findInboundOwner } from './inbound-owner.ts';
import type { KnownDelivery } from './inbound-store.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceEvent, SourceWork } from './source-work.ts';

export interface WorkIntakeDeps {
  database: Database;
  claims: ClaimStore;
  deliveries: DeliveryLog;
  config: Config;
  users: UserStore;
  tasks: TaskService;
  sourceComments: Pick<SourceComments, 'add'>;
}
interface AskedWork {
  work: SourceWork;
  rules: SourceRules;
}

/** Decides what comes of a delivery, in one transaction with its task and its entry in the log. */
export class WorkIntake {
  readonly #deps: WorkIntakeDeps;
  constructor(deps: WorkIntakeDeps) {
    this.#deps = deps;
  }

  /** A delivery that comes too late to be believed is written down, and rejects as `forbidden`. */
  async take(delivery: Delivery, event: SourceEvent): Promise<InboundAnswer> {
    const { status, ...told } = await this.#decide(delivery, event);
    // The log says why.
    if (status === 'refused') throw new AppError('forbidden', 'Invalid webhook signature');
    return { status, ...told };
  }

  #decide(delivery: Delivery, event: SourceEvent): Promise<WrittenOutcome> {
    const { refusal } = delivery;
    const { verdict } = event;
    if (refusal !== undefined) return this.#setAside(delivery, event, { status: 'refused', reason: refusal });
    if ('work' in verdict) return this.#accept(delivery, event, verdict);
    return this.#setAside(delivery, event, { status: 'ignored', reason: verdict.ignored });
  }

  #setAside(delivery: Delivery, event: SourceEvent, outcome: Outcome): Promise<WrittenOutcome> {
    const { database, deliveries } = this.#deps;
    return database.write(async (transaction) => {
      const known = await deliveries.known(transaction, delivery);
      const before = cameBefore(known);
      return deliveries.write(transaction, delivery, { event, known, outcome: before ?? outcome });
    });
  }

  async #accept(delivery: Delivery, event: SourceEvent, { work, rules }: AskedWork): Promise<WrittenOutcome> {
    const { tasks, claims, deliveries, sourceComments } = this.#deps;
    const { provider, deliveryId, receivedAt } = delivery;
    const caller = await this.#ownerOf(rules);
    let known: KnownDelivery | undefined;
    const { answer } = await tasks.createFor(caller, fitTask({ provider, deliveryId, event, work, rules }), {
      scope: `POST /api/webhooks/${provider}`,
      key: undefined,
      body: undefined,
      isText: true,
      isTrusted: rules.isTrusted,
      instead: async (transaction) => {
        known = await deliveries.known(transaction, delivery);
        const outcome = cameBefore(known) ?? (await this.#insteadOf(transaction, provider, work));
        return outcome && deliveries.write(transaction, delivery, { event, known, outcome });
      },
      attach: async (transaction, { id: taskId }) => {
        const claim = { provider, content_key: work.contentKey, task_id: taskId, claimed_at: receivedAt };
        await claims.put(transaction.db, claim);
        if (rules.hasComments && work.target)
          sourceComments.add(transaction, { taskId, ownerId: caller.userId, target: work.target });
        const outcome: Outcome = { status: 'accepted', taskId };
        return deliveries.write(transaction, delivery, { event, known, outcome });
      },
    });
    return answer;
  }

  /** What comes of work that makes no task now. */
  async #insteadOf(
    { db }: WriteTransaction,
    provider: ProviderName,
    work: SourceWork,
  ): Promise<Outcome | undefined> {
    const { claims } = this.#deps;
    const taskId = await claims.findOpen(db, provider, work.contentKey);
    if (taskId !== undefined) return { status: 'duplicate', reason: 'Its task has not ended yet', taskId };
    if (work.needsTaskBranch && !(await claims.hasTaskOn(db, work)))
      return { status: 'ignored', reason: 'No task works on this branch' };
    return undefined;
  }

  /** Whoever it is, a stranger's text gets no more rights than any user has. */
  async #ownerOf({ ownerEmail }: SourceRules): Promise<Caller> {
    const userId = await findInboundOwner(this.#deps, ownerEmail);
    if (userId === undefined)
      throw new AppError('unavailable', 'There is no administrator whose task this could be');
    return { userId, role: 'user' };
  }
}

const cameBefore = (known: KnownDelivery | undefined): Outcome | undefined =>
  known?.task_id
    ? { status: 'duplicate', reason: 'This delivery came before', taskId: known.task_id }
    : undefined;
