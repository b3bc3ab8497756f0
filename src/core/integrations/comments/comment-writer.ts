import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { delayAfter } from '../../outbound/delivery-schedule.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { untilStored } from '../../storage/until-stored.ts';
import type { SourceCommentRow } from '../../storage/rows/comments.ts';
import type { Runtime } from '../../runtime.ts';
import type { CommentTarget } from '../inbound/source-work.ts';
import type { Access, CommentAccess } from './comment-access.ts';
import { CommentFailure } from './comment-failure.ts';
import type { CommentThread } from './comment-thread.ts';
import { openThread } from './open-thread.ts';
import type { WriteResult } from './comment-queue.ts';
import { areCommentsEnabled } from './comment-setting.ts';
import { type CommentState, commentStateOf, isLastState } from './comment-state.ts';
import { commentText } from './comment-text.ts';
import { readTarget } from './stored-target.ts';
import type { CommentChange, CommentedTask, SourceCommentStore } from './source-comment-store.ts';

/** After an attempt with an unknown result, its comment may take this long to show up. */
const SETTLE_MS = 30_000;
/** Tolerates clock differences; the comment is never older than its task. */
const CLOCKS_MS = 10 * 60_000;
const MAX_LIMIT_MS = 12 * 3_600_000;
/** Longer than any wait we set: a later time was set by a wrong clock. */
const MAX_WAIT_MS = 14 * 3_600_000;
/** Rate limits use up no attempt, but only for this long. */
const LIMITED_FOR_MS = 7 * 24 * 3_600_000;

export interface CommentWriterDeps {
  store: SourceCommentStore;
  access: CommentAccess;
  config: Config;
  fetch: OutboundFetch;
  runtime: Runtime;
  log: Log;
}
export interface WriteOutcome extends WriteResult {
  /** Whether the comment is finished. */
  isEnded: boolean;
}
interface Job {
  row: SourceCommentRow;
  task: CommentedTask;
  state: CommentState;
  target: CommentTarget;
  signal: AbortSignal;
}

const idle: WriteOutcome = { hasCalled: false, isEnded: false };

/** Brings a comment up to date with its task, one step at a time; each step leaves a row that a restart can resume from. */
export class CommentWriter {
  readonly #deps: CommentWriterDeps;
  /** When the rate limit of an account ends, in monotonic milliseconds. */
  readonly #limited = new Map<string, number>();

  constructor(deps: CommentWriterDeps) {
    this.#deps = deps;
  }

  /** Rejects with an `AppError` if the store fails, and with the signal's reason if aborted. */
  async write(taskId: string, signal: AbortSignal): Promise<WriteOutcome> {
    const { store, runtime } = this.#deps;
    const row = await store.find(taskId);
    if (!row || row.ended_at !== null) return { ...idle, isEnded: true };
    const task = await store.findTask(taskId);
    if (!task) return this.#end(row, signal, { last_error: 'The task was deleted' });
    const now = runtime.now();
    const isRunning = task.status === 'in_progress';
    const waits = isRunning && (await store.waitsForPerson(taskId, now.toISOString()));
    const state = commentStateOf(task, waits);
    if (state === undefined) return idle;
    if (state === row.written) return isLastState(state) ? this.#end(row, signal, {}) : idle;
    if (row.tried === state && row.next_attempt_at === null) return idle;
    const wait = await this.#waitFor(row, state, now);
    if (wait > 0) return { ...idle, retryInMs: wait };
    const target = readTarget(row.target);
    if (!areCommentsEnabled(this.#deps.config, target))
      return this.#end(row, signal, { last_error: 'Comments are disabled' });
    return this.#attempt({ row, task, state, target, signal });
  }

  /** Milliseconds until the state may be attempted. */
  async #waitFor(row: SourceCommentRow, state: CommentState, now: Date): Promise<number> {
    const wait = row.next_attempt_at === null ? 0 : Date.parse(row.next_attempt_at) - now.getTime();
    if (wait <= 0 || wait > MAX_WAIT_MS) return 0;
    if (row.tried === state) return wait;
    if (row.is_uncertain === 0) return 0;
    // A new state resets the attempts, but a comment that may exist needs time to show up before it is searched for.
    const settled = Math.min(wait, SETTLE_MS);
    const next_attempt_at = new Date(now.getTime() + settled).toISOString();
    await this.#deps.store.update(row.task_id, { tried: state, attempts: 0, next_attempt_at });
    return settled;
  }

  async #attempt(job: Job): Promise<WriteOutcome> {
    const { row, target, signal } = job;
    let account: string | undefined;
    try {
      const access = await this.#deps.access.of(row.owner_id, target);
      if (!access)
        return await this.#end(row, signal, {
          last_error: 'No connected account or token can write the comment',
        });
      account = access.account;
      const wait = this.#limitOf(account);
      if (wait > 0) return { ...idle, retryInMs: wait };
      await this.#publish(job, this.#threadOf(job, access)).catch(async (error: unknown) => {
        // The account may have been reconnected, or its token refreshed, in the meantime.
        const renewed = isDenied(error) ? await this.#deps.access.of(row.owner_id, target) : undefined;
        if (!renewed || renewed.authorization === access.authorization) throw error;
        await this.#publish(job, this.#threadOf(job, renewed));
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#fail(job, failureOf(error, this.#deps.log), account);
    }
    return this.#done(job);
  }

  /** Creates the comment, or updates the existing one. */
  async #publish({ row, task, state, signal }: Job, thread: CommentThread): Promise<void> {
    const { config, runtime } = this.#deps;
    const text = commentText(task, state, config.get('server.baseUrl'));
    if (row.comment_id === null && row.is_uncertain === 1) {
      const id = await thread.find();
      if (id !== undefined) await this.#keep(row, signal, id);
    }
    if (row.comment_id !== null) return thread.update(row.comment_id, text);
    // Stored before the request is sent, so that after a crash the next attempt searches first.
    const settled = new Date(runtime.now().getTime() + SETTLE_MS).toISOString();
    const marked = { is_uncertain: 1, tried: state, next_attempt_at: settled };
    await this.#store(row.task_id, signal, marked);
    row.is_uncertain = 1;
    const id = await thread.create(text).catch((error: unknown) => {
      // With a response it is certain that nothing was written.
      if (error instanceof CommentFailure && error.fault !== 'transient') row.is_uncertain = 0;
      throw error;
    });
    await this.#keep(row, signal, id);
  }

  async #keep(row: SourceCommentRow, signal: AbortSignal, id: string): Promise<void> {
    await this.#store(row.task_id, signal, { comment_id: id, is_uncertain: 0 });
    row.comment_id = id;
    row.is_uncertain = 0;
  }

  async #done({ row, state, signal }: Job): Promise<WriteOutcome> {
    const isEnded = isLastState(state);
    await this.#store(row.task_id, signal, {
      written: state,
      tried: null,
      attempts: 0,
      next_attempt_at: null,
      last_error: null,
      ...(isEnded && { ended_at: this.#deps.runtime.now().toISOString() }),
    });
    return { hasCalled: true, isEnded };
  }

  async #fail(job: Job, failure: CommentFailure, account: string | undefined): Promise<WriteOutcome> {
    const { row, state, signal } = job;
    const { runtime, log } = this.#deps;
    const { fault, message } = failure;
    const wait = this.#waitAfter(job, failure, account);
    const isFinal = fault !== 'transient' && fault !== 'unauthorized';
    if (wait === undefined && (isFinal || isLastState(state))) {
      const wasRemoved = fault === 'missing' && row.comment_id !== null;
      const reason = wasRemoved ? 'The comment was deleted' : message;
      if (!wasRemoved)
        log.warn(
          { taskId: row.task_id, provider: job.target.provider, reason },
          'giving up on a source comment',
        );
      return { ...(await this.#end(row, signal, { last_error: reason })), hasCalled: true };
    }
    const counts = fault !== 'limited';
    await this.#store(row.task_id, signal, {
      tried: state,
      attempts: attemptsOf(row, state) + (counts ? 1 : 0),
      is_uncertain: row.is_uncertain,
      next_attempt_at: wait === undefined ? null : new Date(runtime.now().getTime() + wait).toISOString(),
      last_error: message,
    });
    return { hasCalled: true, isEnded: false, ...(wait !== undefined && { retryInMs: wait }) };
  }

  /** Milliseconds before the next attempt; undefined if there is none. */
  #waitAfter({ row, state }: Job, { fault, waitMs = 0 }: CommentFailure, account = ''): number | undefined {
    const { now, monotonic, random } = this.#deps.runtime;
    if (fault === 'refused' || fault === 'missing') return undefined;
    const asked = Math.min(waitMs, MAX_LIMIT_MS);
    if (fault !== 'limited') {
      const wait = delayAfter(attemptsOf(row, state) + 1, random);
      return wait && Math.max(wait, asked);
    }
    this.#limited.set(account, monotonic() + asked);
    return now().getTime() - Date.parse(row.created_at) < LIMITED_FOR_MS ? asked : undefined;
  }

  #limitOf(account: string): number {
    const wait = (this.#limited.get(account) ?? 0) - this.#deps.runtime.monotonic();
    if (wait <= 0) this.#limited.delete(account);
    return wait;
  }

  async #end(row: SourceCommentRow, signal: AbortSignal, change: CommentChange): Promise<WriteOutcome> {
    const ended_at = this.#deps.runtime.now().toISOString();
    const { is_uncertain } = row;
    await this.#store(row.task_id, signal, { is_uncertain, next_attempt_at: null, ended_at, ...change });
    return { ...idle, isEnded: true };
  }

  /** Retries until stored, because a comment that is not recorded would be written again. */
  #store(taskId: string, signal: AbortSignal, change: CommentChange): Promise<void> {
    return untilStored(signal, () => this.#deps.store.update(taskId, change));
  }

  #threadOf({ row, target, signal }: Job, { vendor, baseUrl, authorization }: Access): CommentThread {
    const { fetch, runtime } = this.#deps;
    const since = new Date(Date.parse(row.created_at) - CLOCKS_MS);
    const api = { vendor, baseUrl, headers: { authorization }, fetch, now: runtime.now, signal };
    return openThread(target, { api, taskId: row.task_id, since });
  }
}

/** Attempts for another state do not count. */
const attemptsOf = (row: SourceCommentRow, state: CommentState): number =>
  row.tried === state ? row.attempts : 0;

/** Whether another token may help. */
const isDenied = (error: unknown): boolean =>
  error instanceof CommentFailure && ['unauthorized', 'refused', 'missing'].includes(error.fault);

function failureOf(error: unknown, log: Log): CommentFailure {
  if (error instanceof CommentFailure) return error;
  if (error instanceof AppError)
    return new CommentFailure('transient', error.message, { waitMs: error.retryAfterMs });
  log.error({ err: error }, 'this is a bug in svc');
  return new CommentFailure('transient', 'Internal error in svc');
}
