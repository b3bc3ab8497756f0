import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { type AttemptOutcome, DeliveryLanes } from '../outbound/delivery-lanes.ts';
import { delayAfter } from '../outbound/delivery-schedule.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { NotifyDeliveryRow } from '../storage/account-rows.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Surroundings } from '../surroundings.ts';
import type { TaskEndings } from '../tasks/task-endings.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { type AttemptResult, postSigned } from './notify-attempt.ts';
import { notifyBody } from './notify-body.ts';
import { notifySecretOf } from './notify-secret.ts';
import type { NewNotification, NotifyStore, OpenDelivery } from './notify-store.ts';

const SWEEP_EVERY_MS = 15_000;
const STORE_AGAIN_MS = 1000;
const PAGE = 500;

export interface NotifyDelivererParts {
  database: Database;
  store: NotifyStore;
  endings: TaskEndings;
  fetch: OutboundFetch;
  keys: KeyRing;
  surroundings: Surroundings;
  log: Log;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** Tells a notifyUrl of the end of its task, at least once, however often the daemon stops meanwhile. */
export class NotifyDeliverer {
  readonly #parts: NotifyDelivererParts;
  readonly #lanes: DeliveryLanes;
  /** Of each task that a delivery waits for, what ends the watch. */
  readonly #watched = new Map<string, () => void>();
  readonly #working = new Set<Promise<void>>();
  readonly #position = { waiting: '', due: '' };
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: NotifyDelivererParts) {
    this.#parts = parts;
    const { surroundings, setTimer } = parts;
    this.#lanes = new DeliveryLanes({
      send: (id, signal) => this.#send(id, signal),
      now: surroundings.now,
      ...(setTimer && { setTimer }),
    });
  }

  /** Takes up what an earlier process left; returns at once. */
  start(): void {
    this.#work(async () => {
      // Everything once; then a page at a time, so that many open deliveries cost a sweep no more than a few.
      do {
        await this.sweep();
        await breathe();
      } while (!this.#isStopped && (this.#position.waiting !== '' || this.#position.due !== ''));
    });
    this.#timer = setInterval(() => this.#work(() => this.sweep()), SWEEP_EVERY_MS).unref();
  }

  /** Breaks off what is being sent; it is sent again at the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const stopWatching of this.#watched.values()) stopWatching();
    await Promise.all(this.#working);
    await this.#lanes.stop();
  }

  /** Stores with the task that the URL is to be told of its end. */
  add(transaction: WriteTransaction, delivery: NewNotification): void {
    this.#parts.store.insert(transaction, delivery);
    transaction.afterCommit(() => this.#watch(delivery.task_id));
  }

  /** Derives from a page of the rows what ought to happen. */
  async sweep(): Promise<void> {
    for (const status of ['waiting', 'due'] as const) {
      const page = await this.#parts.store.open(status, this.#position[status], PAGE);
      this.#position[status] = page.length < PAGE ? '' : (page.at(-1)?.id ?? '');
      for (const delivery of page) {
        if (status === 'due') this.#takeUp(delivery);
        else if (isTerminal(delivery.task_status)) await this.#makeDue(delivery.task_id);
        else this.#watch(delivery.task_id);
      }
    }
  }

  #watch(taskId: string): void {
    if (this.#watched.has(taskId) || this.#isStopped) return;
    const stopWatching = this.#parts.endings.watch(taskId, () => this.#work(() => this.#makeDue(taskId)));
    this.#watched.set(taskId, stopWatching);
  }

  /** The task has ended: the text of its deliveries is written down, and they are sent. */
  async #makeDue(taskId: string): Promise<void> {
    const { database, store, surroundings } = this.#parts;
    const due = await database.write(async ({ db }) => {
      const task = await store.findTask(taskId, db);
      if (!task || !isTerminal(task.status)) return [];
      const waiting = await store.waitingFor(taskId, db);
      const change = { status: 'due', next_attempt_at: surroundings.now().toISOString() };
      for (const delivery of waiting)
        await store.update(db, delivery.id, { ...change, body: notifyBody(delivery, task) });
      return waiting.map((delivery) => ({ ...delivery, ...change }));
    });
    if (due.length === 0) return;
    this.#watched.get(taskId)?.();
    this.#watched.delete(taskId);
    for (const delivery of due) this.#takeUp(delivery);
  }

  #takeUp({ id, url, attempts, next_attempt_at }: Omit<OpenDelivery, 'task_status'>): void {
    this.#lanes.add({ id, url, attempts, dueAt: Date.parse(next_attempt_at ?? '') || 0 });
  }

  async #send(id: string, signal: AbortSignal): Promise<AttemptOutcome> {
    const { log } = this.#parts;
    try {
      return await this.#attempt(id, signal);
    } catch (error) {
      // The row says what it said: the next sweep takes it up again.
      if (!signal.aborted) log.warn({ deliveryId: id, reason: messageOf(error) }, 'a notification waits');
      return { isTrouble: false };
    }
  }

  async #attempt(id: string, signal: AbortSignal): Promise<AttemptOutcome> {
    const { store, fetch, keys, surroundings } = this.#parts;
    const delivery = await store.find(id);
    if (delivery?.status !== 'due' || delivery.body === null) return { isTrouble: false };
    // Whoever revokes a token does not want its requests to tell anybody anything any more.
    const result = (await store.hasToken(delivery.token_id))
      ? await postSigned(
          fetch,
          delivery.url,
          {
            id,
            body: delivery.body,
            secret: notifySecretOf(keys, delivery.token_id),
            sentAt: surroundings.now(),
          },
          signal,
        )
      : undefined;
    return this.#record(delivery, result, signal);
  }

  async #record(
    delivery: NotifyDeliveryRow,
    result: AttemptResult | undefined,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const { surroundings } = this.#parts;
    const now = surroundings.now();
    const attempts = delivery.attempts + (result ? 1 : 0);
    const delayMs = result?.isDelivered === false ? delayAfter(attempts, surroundings.random) : undefined;
    const next = delayMs === undefined ? undefined : new Date(now.getTime() + delayMs);
    await this.#store(signal, delivery.id, {
      attempts,
      status: next ? 'due' : result?.isDelivered ? 'delivered' : 'failed',
      next_attempt_at: next?.toISOString() ?? null,
      last_status: result?.status ?? null,
      last_error: result ? result.error : 'The token is not valid any more',
      ended_at: next ? null : now.toISOString(),
    });
    return {
      isTrouble: result?.isDelivered === false,
      ...(next && { again: { attempts, dueAt: next.getTime() } }),
    };
  }

  /** What was sent is sent again where it cannot be stored, so it is stored until the disk takes it. */
  async #store(signal: AbortSignal, id: string, change: Partial<NotifyDeliveryRow>): Promise<void> {
    const { database, store } = this.#parts;
    for (;;) {
      try {
        return await database.write(({ db }) => store.update(db, id, change));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        await delay(STORE_AGAIN_MS, undefined, { signal });
      }
    }
  }

  /** Does something that the next sweep does again where it fails. */
  #work(work: () => Promise<void>): void {
    if (this.#isStopped) return;
    const done = work()
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) this.#parts.log.error({ err: error }, 'this is a bug in svc');
      })
      .finally(() => this.#working.delete(done));
    this.#working.add(done);
  }
}
