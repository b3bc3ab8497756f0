import type { TaskHead } from '../storage/rows/tasks.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Log } from '../log.ts';
import { type Database, type WriteTransaction, independent } from '../storage/database.ts';
import { storableJson } from '../storage/storable-text.ts';
import { mayTryAgain, nextOutage, type Outage, outageDelay, retryDelay } from './retry-policy.ts';
import type { RunEvents } from './run-events.ts';
import type { FailedOutcome, RunOutcome } from './run-outcome.ts';
import type { TaskAdmission } from './task-admission.ts';
import { type FailureParts, failForGood } from './task-failure.ts';
import type { NewEvent } from './new-event.ts';
import { isNewWait, waitReason } from './task-wait.ts';

const noOutage: Outage = { outages: 0, outage_since: null };
const withoutLease = { lease_owner: null, lease_until: null };
/** A usage limit is reset about at the time that a service names; this much later, and a part of it by chance. */
const AFTER_RESET_MS = 45_000;
const SPREAD_MS = 15_000;
/** Failures by a budget that comes back with the next day or month. */
const periodBudgets: ReadonlySet<string | undefined> = new Set(['day_budget', 'month_budget']);
/** Between tries to store an outcome that the disk does not take. */
const AGAIN_MS = 500;

export interface OutcomeRecorderDeps extends FailureParts {
  database: Database;
  admission: TaskAdmission;
  config: Config;
  log: Log;
  metrics: Pick<Metrics, 'tasks'>;
}

/** Stores what came of a run, exactly once per claim, and decides what comes next. */
export class OutcomeRecorder {
  readonly #deps: OutcomeRecorderDeps;
  readonly #writing = new Set<Promise<void>>();
  #isStopping = false;

  constructor(deps: OutcomeRecorderDeps) {
    this.#deps = deps;
  }

  /** Calls `onEnd` once the outcome is stored or given up. */
  record(task: TaskHead, outcome: RunOutcome, events: RunEvents, onEnd: () => void): void {
    const written = this.#record(task, outcome, events).finally(() => {
      this.#writing.delete(written);
      onEnd();
    });
    this.#writing.add(written);
  }

  /** Resolves once every outcome is stored; from now on one that the disk refuses is given up to the next start. */
  async idle(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#writing);
  }

  async #record(task: TaskHead, outcome: RunOutcome, events: RunEvents): Promise<void> {
    const { database, admission, log, metrics } = this.#deps;
    const rest = await events.finish();
    if (outcome.kind === 'gone') return;
    for (;;) {
      try {
        const moved = await database.write(
          (transaction) => this.#write(transaction, task, outcome, rest),
          independent,
        );
        // The cost of candidates is counted once, by themselves.
        if (moved && 'result' in outcome && task.best_of === null)
          metrics.tasks.addCost(task.agent_type ?? '', outcome.result.cost);
        if (moved?.status === 'queued') await admission.wake(moved);
        return;
      } catch (error) {
        log.warn(
          { taskId: task.id, reason: messageOf(error) },
          'an outcome could not be stored; trying again',
        );
        if (this.#isStopping || !(error instanceof AppError)) return;
        await delay(AGAIN_MS);
      }
    }
  }

  async #write(
    transaction: WriteTransaction,
    task: TaskHead,
    outcome: Exclude<RunOutcome, { kind: 'gone' }>,
    rest: NewEvent[],
  ): Promise<TaskHead | undefined> {
    const { store, runtime, config } = this.#deps;
    const now = runtime.now();
    if (outcome.kind === 'completed') {
      const { duration } = outcome.result;
      const change = {
        ...withoutLease,
        completed_at: now.toISOString(),
        result: storableJson(outcome.result),
        error: null,
      };
      return store.move(transaction, task, 'complete', now, change, [
        ...rest,
        { type: 'completed', message: 'Completed', data: { duration } },
      ]);
    }
    const dueIn = (ms: number) => new Date(now.getTime() + ms).toISOString();
    if (outcome.kind === 'parked')
      return store.move(
        transaction,
        task,
        'requeue',
        now,
        {
          ...withoutLease,
          agent_type: null,
          attempts: task.attempts - 1,
          scheduled_for: dueIn(outcome.delayMs),
        },
        [...rest, { type: 'requeued', message: outcome.message }],
      );
    if (outcome.kind === 'unready')
      return store.move(
        transaction,
        task,
        'release',
        now,
        { ...withoutLease, agent_type: null, attempts: task.attempts - 1, forgiven: task.forgiven + 1 },
        [...rest, { type: 'waiting_for_agent', message: outcome.message }],
      );
    const { error, isFinal = false, retryAfterMs } = outcome;
    const deferral = isFinal ? undefined : await this.#deferralOf(transaction, task, outcome, now);
    if (deferral) {
      const wait = { waitsFor: 'limit', isNewWait: true };
      return this.#postpone(transaction, task, outcome, { now, ...deferral, rest, wait, type: 'deferred' });
    }
    const backoff = config.get('queue.retry.backoff');
    const outage =
      outcome.isOutage && !isFinal
        ? nextOutage(task, {
            now,
            durationMs: outcome.result.duration,
            limitMs: config.get('queue.retry.outage'),
          })
        : undefined;
    if (outage) {
      const delayMs = outageDelay(outage.outages, { backoff }, runtime.random, retryAfterMs);
      // The task had no part in the failure.
      const change = { ...outage, attempts: task.attempts - 1, forgiven: task.forgiven + 1 };
      const before = await store.lastError(transaction, task);
      const wait = {
        waitsFor: waitReason(error.class),
        isNewWait: isNewWait({ outages: outage.outages, before, error, delayMs }),
        outageSince: outage.outage_since,
      };
      return this.#postpone(transaction, task, outcome, { now, delayMs, change, rest, wait });
    }
    if (isFinal || !mayTryAgain(error.class, task) || task.attempts >= task.max_attempts) {
      if (rest.length > 0) await store.addEvents(transaction, task, now, rest);
      return failForGood(this.#deps, transaction, task, error, {
        result: storableJson(outcome.result),
        isAttached: task.attached === 1,
      });
    }
    const settings = { backoff, type: config.get('queue.retry.type') };
    const delayMs = retryDelay(task.attempts, settings, runtime.random, retryAfterMs);
    return this.#postpone(transaction, task, outcome, { now, delayMs, change: noOutage, rest });
  }

  /** The wait until shortly after the reset of a usage limit; undefined where it is not known, or too far away. */
  async #deferralOf(
    transaction: WriteTransaction,
    task: TaskHead,
    { resetsAt, error }: FailedOutcome,
    now: Date,
  ): Promise<{ delayMs: number; change: Outage } | undefined> {
    const { config, runtime, store } = this.#deps;
    if (resetsAt === undefined) return undefined;
    // Who follows a task to its end is told at once that the budget is used up.
    const mayWait = error.class === 'quota' || (periodBudgets.has(error.code) && task.attached === 0);
    if (!mayWait) return undefined;
    const untilReset = Math.max(0, resetsAt - now.getTime());
    if (untilReset > config.get('agents.maxDeferMs')) return undefined;
    const delayMs = Math.round(untilReset + AFTER_RESET_MS + runtime.random() * SPREAD_MS);
    const forgiving = { ...noOutage, attempts: task.attempts - 1, forgiven: task.forgiven + 1 };
    if (untilReset > 0) return { delayMs, change: forgiving };
    // A service that names a reset of the past again and again would have the task wait without end.
    const isRepeated = (await store.lastError(transaction, task))?.class === error.class;
    if (!isRepeated) return { delayMs, change: forgiving };
    return task.attempts < task.max_attempts ? { delayMs, change: noOutage } : undefined;
  }

  /** Queues the task for another attempt. */
  #postpone(
    transaction: WriteTransaction,
    task: TaskHead,
    { error, result }: FailedOutcome,
    {
      now,
      delayMs,
      change,
      rest,
      wait,
      type = 'retry_scheduled',
    }: {
      now: Date;
      delayMs: number;
      change: Outage;
      rest: NewEvent[];
      wait?: NewEvent['data'];
      type?: NewEvent['type'];
    },
  ): Promise<TaskHead | undefined> {
    const at = new Date(now.getTime() + delayMs).toISOString();
    return this.#deps.store.move(
      transaction,
      task,
      'postpone',
      now,
      {
        ...withoutLease,
        ...change,
        agent_type: null,
        // It came to an end, so this run at least did not end the daemon.
        suspect: 0,
        error: storableJson(error),
        scheduled_for: at,
      },
      [
        ...rest,
        {
          type,
          message: error.message,
          data: {
            class: error.class,
            code: error.code,
            attempt: task.attempts,
            maxAttempts: task.max_attempts,
            delayMs,
            at,
            ...wait,
          },
        },
      ],
      result.output,
    );
  }
}
