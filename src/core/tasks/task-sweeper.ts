import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Engine } from '../storage/database.ts';
import type { Surroundings } from '../surroundings.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { TaskAdmission } from './task-admission.ts';
import type { TaskRecovery } from './task-recovery.ts';
import type { TaskScanStore } from './task-scan-store.ts';

const EVERY_MS = 15_000;
/** A queued task that has been due this long was forgotten by the queue, or the queue is long; both ids are harmless. */
const OVERDUE_MS = 30_000;
const OVERDUE_PAGE = 500;

export interface TaskSweeperParts {
  recovery: TaskRecovery;
  scan: TaskScanStore;
  admission: TaskAdmission;
  idempotency: IdempotencyStore;
  engine: Engine;
  surroundings: Surroundings;
  log: Log;
}

/** Derives again and again from the rows what ought to happen, so that a lost wake-up costs seconds and no task. */
export class TaskSweeper {
  readonly #parts: TaskSweeperParts;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(parts: TaskSweeperParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.sweep(), EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /** One sweep; never rejects, because the next one tries again. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep()
      .catch((error: unknown) => this.#parts.log.warn({ reason: messageOf(error) }, 'a sweep failed'))
      .finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { recovery, scan, admission, idempotency, engine, surroundings } = this.#parts;
    const now = surroundings.now();
    await recovery.takeBackExpired(now.toISOString());
    const before = new Date(now.getTime() - OVERDUE_MS).toISOString();
    for (const task of await scan.overdue(before, OVERDUE_PAGE)) await admission.wake(task);
    await recovery.admitWaiting();
    await idempotency.deleteOld(now);
    await engine.refreshTextIndex();
  }
}
