import type { InboundAnswer } from '../../../contract/inbound.ts';
import { type Vendor, wireName } from '../../../contract/vendors.ts';
import type { AgentGrant } from '../../agents/agent-grant.ts';
import type { AgentRegistry } from '../../agents/agent-registry.ts';
import type { Caller } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import type { SourceComments } from '../comments/source-comments.ts';
import type { ClaimStore } from './claim-store.ts';
import {
  type Delivery,
  type DeliveryLog,
  duplicateOf,
  type Outcome,
  type RecordedOutcome,
} from './delivery-log.ts';
import { fitTask } from './fit-task.ts';
import type { FollowUpIntake } from './follow-up-intake.ts';
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
  registry: Pick<AgentRegistry, 'isProgram'>;
  sourceComments: Pick<SourceComments, 'add'>;
  followUps: Pick<FollowUpIntake, 'take'>;
}
interface WorkVerdict {
  work: SourceWork;
  rules: SourceRules;
}

/** Decides the outcome of a delivery, in one transaction with its task and its log entry. */
export class WorkIntake {
  readonly #deps: WorkIntakeDeps;
  constructor(deps: WorkIntakeDeps) {
    this.#deps = deps;
  }

  /** Processes a delivery. One outside the replay window is logged, and rejects with `forbidden`. */
  async take(delivery: Delivery, event: SourceEvent): Promise<InboundAnswer> {
    const { status, ...answer } = await this.#decide(delivery, event);
    // The reason is only in the log.
    if (status === 'refused') throw new AppError('forbidden', 'Invalid webhook signature');
    return { status, ...answer };
  }

  async #decide(delivery: Delivery, event: SourceEvent): Promise<RecordedOutcome> {
    const { refusal } = delivery;
    const { verdict } = event;
    if (refusal !== undefined)
      return this.#recordOnly(delivery, event, { status: 'refused', reason: refusal });
    const followed = event.followUp && (await this.#deps.followUps.take(delivery, event, event.followUp));
    if (followed) return followed;
    if ('work' in verdict) return this.#accept(delivery, event, verdict);
    return this.#recordOnly(delivery, event, { status: 'ignored', reason: verdict.ignored });
  }

  #recordOnly(delivery: Delivery, event: SourceEvent, outcome: Outcome): Promise<RecordedOutcome> {
    const { database, deliveries } = this.#deps;
    return database.write(async (transaction) => {
      const known = await deliveries.known(transaction, delivery);
      const before = duplicateOf(known);
      return deliveries.write(transaction, delivery, { event, known, outcome: before ?? outcome });
    });
  }

  async #accept(
    delivery: Delivery,
    event: SourceEvent,
    { work, rules }: WorkVerdict,
  ): Promise<RecordedOutcome> {
    const { tasks, claims, deliveries, sourceComments } = this.#deps;
    const { provider, deliveryId, receivedAt } = delivery;
    const caller = await this.#ownerOf(rules);
    let known: KnownDelivery | undefined;
    const { answer } = await tasks.createFor(caller, fitTask({ provider, deliveryId, event, work, rules }), {
      scope: `POST /api/webhooks/${wireName(provider)}`,
      key: undefined,
      body: undefined,
      isText: true,
      isTrusted: rules.isTrusted,
      grant: this.#grantOf(provider, rules),
      instead: async (transaction) => {
        known = await deliveries.known(transaction, delivery);
        const outcome = duplicateOf(known) ?? (await this.#existingOutcome(transaction, provider, work));
        return outcome && deliveries.write(transaction, delivery, { event, known, outcome });
      },
      attach: async (transaction, { id: taskId }) => {
        await claims.put(transaction, {
          provider: wireName(provider),
          content_key: work.contentKey,
          task_id: taskId,
          claimed_at: receivedAt,
        });
        if (rules.hasComments && work.target)
          sourceComments.add(transaction, { taskId, ownerId: caller.userId, target: work.target });
        const outcome: Outcome = { status: 'accepted', taskId };
        return deliveries.write(transaction, delivery, { event, known, outcome });
      },
    });
    return answer;
  }

  /** What lets the agent of the rule run programs, if it does; the rule says in which mode, and about which repository. */
  #grantOf(vendor: Vendor, { name, agent, mode }: SourceRules): AgentGrant | undefined {
    if (name === undefined || agent === undefined || mode === undefined) return undefined;
    return this.#deps.registry.isProgram(agent) ? { vendor, rule: name, kind: 'ticket' } : undefined;
  }

  /** The outcome of work that creates no task, if any. */
  async #existingOutcome(
    transaction: WriteTransaction,
    provider: Vendor,
    work: SourceWork,
  ): Promise<Outcome | undefined> {
    const { claims } = this.#deps;
    const taskId = await claims.findOpen(transaction, provider, work.contentKey);
    if (taskId !== undefined) return { status: 'duplicate', reason: 'Its task has not finished yet', taskId };
    if (work.needsTaskBranch && !(await claims.hasTaskOn(transaction, work)))
      return { status: 'ignored', reason: 'No task has this branch' };
    return undefined;
  }

  /** Untrusted text never gets more than a user's rights, even if the owner is an administrator. */
  async #ownerOf({ ownerEmail }: SourceRules): Promise<Caller> {
    const userId = await findInboundOwner(this.#deps, ownerEmail);
    if (userId === undefined)
      throw new AppError('unavailable', 'No administrator exists who could own this task');
    return { userId, role: 'user' };
  }
}
