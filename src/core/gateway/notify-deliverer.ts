import { Deliverer } from '../outbound/deliverer.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import type { AttemptOutcome, SendContext } from '../outbound/delivery-lanes.ts';
import { delayAfter } from '../outbound/delivery-schedule.ts';
import type { Log } from '../log.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { type AttemptResult, postSigned } from '../outbound/post-signed.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { traceDelivery } from '../telemetry/trace-delivery.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { NotifyDeliveryRow } from '../storage/rows/gateway.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskFinishWatcher } from '../tasks/task-finish-watcher.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { dropStates } from '../a2a/approval-notices.ts';
import { openHeaders } from '../a2a/push-headers.ts';
import { bodyOfDelivery } from './notify-body.ts';
import { notifySecretOf } from '../secrets/notify-secret.ts';
import type { NewNotification, NotifyStore, OpenDelivery } from './notify-store.ts';

/** Concurrent requests to one receiver. */
const PER_RECEIVER = 8;
const PAGE = 500;

export interface NotifyDelivererDeps {
  database: Database;
  store: NotifyStore;
  finishWatcher: TaskFinishWatcher;
  fetch: OutboundFetch;
  keys: KeyRing;
  telemetry?: Telemetry | undefined;
  runtime: Runtime;
  log: Log;
  peers?: LanePeers | undefined;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** Notifies a notifyUrl when its task has finished, at least once, across restarts; and agents when it waits for an approval. */
export class NotifyDeliverer {
  readonly #deps: NotifyDelivererDeps;
  readonly #deliverer: Deliverer;
  /** The unsubscribe function for each task that a delivery waits for. */
  readonly #watched = new Map<string, () => void>();
  readonly #position = { waiting: '', due: '' };

  constructor(deps: NotifyDelivererDeps) {
    this.#deps = deps;
    this.#deliverer = new Deliverer({
      ...deps,
      kind: 'notify',
      processPage: () => this.sweep(),
      attempt: (id, context) => this.#attempt(id, context),
      perLane: PER_RECEIVER,
      now: deps.runtime.now,
    });
  }

  /** Resumes the deliveries of an earlier process in the background. */
  start(): void {
    this.#deliverer.start();
  }

  /** Aborts requests in progress; the next start sends them again. */
  async stop(): Promise<void> {
    for (const stopWatching of this.#watched.values()) stopWatching();
    await this.#deliverer.stop();
  }

  /** Stores the notification in the task's transaction. */
  add(transaction: WriteTransaction, delivery: NewNotification): void {
    this.#deps.store.insert(transaction, delivery);
    transaction.afterCommit(() => this.#watch(delivery.task_id));
  }

  /** Sends what an approval of the task has caused; the next sweep sends it if this fails. */
  sendDue(taskId: string): void {
    if (this.#deliverer.isStopped) return;
    this.#deliverer.work(async () => {
      for (const delivery of await this.#deps.store.dueOf(taskId)) this.#enqueue(delivery);
    });
  }

  /** Queues or watches a page of open deliveries; resolves to whether there are more. */
  async sweep(): Promise<boolean> {
    for (const status of ['waiting', 'due'] as const) {
      const page = await this.#deps.store.open(status, this.#position[status], PAGE);
      this.#position[status] = page.length < PAGE ? '' : (page.at(-1)?.id ?? '');
      for (const delivery of page) {
        if (status === 'due') this.#enqueue(delivery);
        else if (delivery.task_status !== null && isTerminal(delivery.task_status))
          await this.#makeDue(delivery.task_id);
        else this.#watch(delivery.task_id);
      }
    }
    return this.#position.waiting !== '' || this.#position.due !== '';
  }

  #watch(taskId: string): void {
    if (this.#watched.has(taskId) || this.#deliverer.isStopped) return;
    const makeDue = () => this.#deliverer.work(() => this.#makeDue(taskId));
    this.#watched.set(taskId, this.#deps.finishWatcher.watch(taskId, makeDue));
  }

  /** Stores the body of a finished task's deliveries and sends them. */
  async #makeDue(taskId: string): Promise<void> {
    const { database, store, runtime } = this.#deps;
    const due = await database.write(async ({ db }) => {
      const task = await store.findTask(taskId, db);
      if (!task || !isTerminal(task.status)) return [];
      const waiting = await store.waitingFor(taskId, db);
      if (waiting.length > 0) await dropStates(db, taskId);
      const change = { status: 'due', next_attempt_at: runtime.now().toISOString() };
      for (const delivery of waiting)
        await store.update(db, delivery.id, { ...change, body: bodyOfDelivery(delivery, task) });
      return waiting.map((delivery) => ({ ...delivery, ...change }));
    });
    if (due.length === 0) return;
    this.#watched.get(taskId)?.();
    this.#watched.delete(taskId);
    for (const delivery of due) this.#enqueue(delivery);
  }

  #enqueue({ id, url, attempts, next_attempt_at }: Omit<OpenDelivery, 'task_status'>): void {
    const dueAt = Date.parse(next_attempt_at ?? '') || 0;
    this.#deliverer.add({ id, lane: new URL(url).origin, attempts, dueAt });
  }

  async #attempt(id: string, { signal }: SendContext): Promise<AttemptOutcome> {
    const { store, keys } = this.#deps;
    const delivery = await store.find(id);
    if (delivery?.status !== 'due' || delivery.body === null) return {};
    const { url, body } = delivery;
    const headers = openHeaders(keys.box, delivery);
    const secret = notifySecretOf(keys, delivery.token_id);
    // A revoked token must not cause further notifications.
    const result = (await store.hasToken(delivery.token_id))
      ? await traceDelivery(
          this.#deps.telemetry,
          { name: 'notify', taskId: delivery.task_id, attempt: delivery.attempts },
          (traced) =>
            postSigned(this.#deps, { id, url, body, secret, headers: { ...headers, ...traced } }, signal),
        )
      : undefined;
    return this.#record(delivery, result, signal);
  }

  async #record(
    delivery: NotifyDeliveryRow,
    result: AttemptResult | undefined,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const { store, runtime } = this.#deps;
    const now = runtime.now();
    const attempts = delivery.attempts + (result ? 1 : 0);
    const waitMs =
      result?.isDelivered === false ? delayAfter(attempts, runtime.random, result.retryAfterMs) : undefined;
    const next = waitMs === undefined ? undefined : new Date(now.getTime() + waitMs);
    const change = {
      attempts,
      status: next ? 'due' : result?.isDelivered ? 'delivered' : 'failed',
      next_attempt_at: next?.toISOString() ?? null,
      last_status: result?.status ?? null,
      last_error: result ? result.error : 'The token is no longer valid',
      ended_at: next ? null : now.toISOString(),
    };
    await this.#deliverer.record(signal, ({ db }) => store.update(db, delivery.id, change));
    return {
      ...(result && { durationMs: result.durationMs, hasAnswered: result.status !== null }),
      ...(next && { retry: { attempts, dueAt: next.getTime(), waitMs } }),
    };
  }
}
