import type { PushKind, PushPayload } from '../../contract/push.ts';
import type { ApprovalOutbox } from '../approvals/approval-outbox.ts';
import type { Runtime } from '../runtime.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { TaskHappening, TaskOutbox } from '../tasks/task-outbox.ts';
import type { PushDeliverer } from './push-deliverer.ts';
import type { PushRegistry } from './push-registry.ts';
import type { PushStore } from './push-store.ts';
import { approvalPush, taskPush } from './push-texts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Urgency = 'low' | 'normal' | 'high';

export interface PushOutboxDeps {
  store: PushStore;
  registry: PushRegistry;
  deliverer: Pick<PushDeliverer, 'add'>;
  runtime: Runtime;
}

/** Stores a message for each browser that wants to hear of a change, in the transaction of the change. */
export class PushOutbox implements TaskOutbox, ApprovalOutbox {
  readonly #deps: PushOutboxDeps;
  constructor(deps: PushOutboxDeps) {
    this.#deps = deps;
  }

  add(transaction: WriteTransaction, { task, events }: TaskHappening): void {
    const { registry, runtime } = this.#deps;
    if (!registry.has(task.owner_id)) return;
    for (const { type, data } of events) {
      const isWait =
        type === 'waiting_for_agent' ||
        type === 'deferred' ||
        (type === 'retry_scheduled' && data?.['isNewWait'] === true);
      const kind = type === 'failed' ? 'failure' : isWait ? 'waiting' : undefined;
      if (!kind) continue;
      this.#write(transaction, task.owner_id, kind, {
        payload: taskPush(task, kind),
        urgency: 'normal',
        expiresAt: runtime.now().getTime() + DAY_MS,
      });
    }
  }

  async addApproval(transaction: WriteTransaction, row: ApprovalRow): Promise<void> {
    const { registry, store, runtime } = this.#deps;
    if (registry.of(row.owner_id, 'approval').length === 0) return;
    const isOpen = row.status === 'pending';
    const payload = approvalPush(row, isOpen ? undefined : await nameOf(transaction, row.decided_by));
    // Who has not seen the question yet does not need it any more.
    if (!isOpen) await store.removeTopic(transaction, payload.tag);
    this.#write(transaction, row.owner_id, 'approval', {
      payload,
      urgency: isOpen ? 'high' : 'low',
      expiresAt: isOpen ? Date.parse(row.expires_at) : runtime.now().getTime() + HOUR_MS,
    });
  }

  #write(
    transaction: WriteTransaction,
    ownerId: string,
    kind: PushKind,
    { payload, urgency, expiresAt }: { payload: PushPayload; urgency: Urgency; expiresAt: number },
  ): void {
    const { registry, store, deliverer, runtime } = this.#deps;
    for (const subscriptionId of registry.of(ownerId, kind)) {
      const message = {
        id: runtime.newId('push'),
        subscription_id: subscriptionId,
        body: JSON.stringify(payload),
        topic: payload.tag,
        urgency,
        expires_at: new Date(expiresAt).toISOString(),
        attempts: 0,
        next_attempt_at: runtime.now().toISOString(),
      };
      store.addMessage(transaction, message);
      transaction.afterCommit(() => deliverer.add(message));
    }
  }
}

async function nameOf({ db }: WriteTransaction, userId: string | null): Promise<string | undefined> {
  if (userId === null) return undefined;
  return (await db.selectFrom('users').select('name').where('id', '=', userId).executeTakeFirst())?.name;
}
