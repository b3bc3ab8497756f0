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
import { type CommentPlace, placeOf } from './comment-place.ts';
import type { Written } from './comment-queue.ts';
import { isCommentWanted } from './comment-setting.ts';
import { type CommentState, commentStateOf, isLastState } from './comment-state.ts';
import { commentText } from './comment-text.ts';
import type { CommentChange, CommentedTask, SourceCommentStore } from './source-comment-store.ts';

/** For this long after a try whose end nobody knows, what it wrote may not be seen yet. */
const SETTLE_MS = 30_000;
/** Clocks differ, and the comment is never older than its task. */
const CLOCKS_MS = 10 * 60_000;
const MAX_LIMIT_MS = 12 * 3_600_000;
/** Longer than any wait that is ever set: what is farther away was set by another clock. */
const MAX_WAIT_MS = 14 * 3_600_000;
/** Requests that are too many use up no try, but not for ever. */
const LIMITED_FOR_MS = 7 * 24 * 3_600_000;

export interface CommentWriterDeps {
  store: SourceCommentStore;
  access: CommentAccess;
  config: Config;
  fetch: OutboundFetch;
  runtime: Runtime;
  log: Log;
}
export interface LookedAfter extends Written {
  /** Whether nothing is left to do for the comment. */
  isEnded: boolean;
}
interface Job {
  row: SourceCommentRow;
  task: CommentedTask;
  state: CommentState;
  target: CommentTarget;
  signal: AbortSignal;
}

const rests: LookedAfter = { hasAsked: false, isEnded: false };

/** Brings one comment to say what its task is, in one step; every step leaves a row from which another can follow. */
export class CommentWriter {
  readonly #deps: CommentWriterDeps;
  /** Until when an account is to ask for nothing, in monotonic milliseconds. */
  readonly #limited = new Map<string, number>();

  constructor(deps: CommentWriterDeps) {
    this.#deps = deps;
  }

  /** Rejects with an `AppError` where the store fails, and with the reason of the signal. */
  async write(taskId: string, signal: AbortSignal): Promise<LookedAfter> {
    const { store, runtime } = this.#deps;
    const row = await store.find(taskId);
    if (!row || row.ended_at !== null) return { ...rests, isEnded: true };
    const task = await store.findTask(taskId);
    if (!task) return this.#end(row, signal, { last_error: 'The task is gone' });
    const now = runtime.now();
    const isRunning = task.status === 'in_progress';
    const waits = isRunning && (await store.waitsForPerson(taskId, now.toISOString()));
    const state = commentStateOf(task, waits);
    if (state === undefined) return rests;
    if (state === row.written) return isLastState(state) ? this.#end(row, signal, {}) : rests;
    if (row.tried === state && row.next_attempt_at === null) return rests;
    const wait = await this.#waitFor(row, state, now);
    if (wait > 0) return { ...rests, againInMs: wait };
    const target = JSON.parse(row.target) as CommentTarget;
    if (!isCommentWanted(this.#deps.config, target))
      return this.#end(row, signal, { last_error: 'Comments are switched off' });
    return this.#attempt({ row, task, state, target, signal });
  }

  /** Milliseconds until the state may be tried. */
  async #waitFor(row: SourceCommentRow, state: CommentState, now: Date): Promise<number> {
    const wait = row.next_attempt_at === null ? 0 : Date.parse(row.next_attempt_at) - now.getTime();
    if (wait <= 0 || wait > MAX_WAIT_MS) return 0;
    if (row.tried === state) return wait;
    if (row.is_uncertain === 0) return 0;
    // Another state begins anew, but what may have been written has to be there before anybody looks for it.
    const settled = Math.min(wait, SETTLE_MS);
    const next_attempt_at = new Date(now.getTime() + settled).toISOString();
    await this.#deps.store.update(row.task_id, { tried: state, attempts: 0, next_attempt_at });
    return settled;
  }

  async #attempt(job: Job): Promise<LookedAfter> {
    const { row, target, signal } = job;
    let account: string | undefined;
    try {
      const access = await this.#deps.access.of(row.owner_id, target);
      if (!access) return await this.#end(row, signal, { last_error: 'There is nothing to write it with' });
      account = access.account;
      const wait = this.#limitOf(account);
      if (wait > 0) return { ...rests, againInMs: wait };
      await this.#tell(job, this.#placeOf(job, access)).catch(async (error: unknown) => {
        // Somebody may have connected the account anew, or the token was refreshed, in the meantime.
        const renewed = isDenied(error) ? await this.#deps.access.of(row.owner_id, target) : undefined;
        if (!renewed || renewed.authorization === access.authorization) throw error;
        await this.#tell(job, this.#placeOf(job, renewed));
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#fail(job, failureOf(error, this.#deps.log), account);
    }
    return this.#done(job);
  }

  /** Writes the comment, or edits the one that is there. */
  async #tell({ row, task, state, signal }: Job, place: CommentPlace): Promise<void> {
    const { config, runtime } = this.#deps;
    const text = commentText(task, state, config.get('server.baseUrl'));
    if (row.comment_id === null && row.is_uncertain === 1) {
      const id = await place.find();
      if (id !== undefined) await this.#keep(row, signal, id);
    }
    if (row.comment_id !== null) return place.update(row.comment_id, text);
    // On the disk before it is sent: whatever happens, the next try looks first.
    const settled = new Date(runtime.now().getTime() + SETTLE_MS).toISOString();
    const marked = { is_uncertain: 1, tried: state, next_attempt_at: settled };
    await this.#store(row.task_id, signal, marked);
    row.is_uncertain = 1;
    const id = await place.create(text).catch((error: unknown) => {
      // After an answer it is known that nothing was written.
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

  async #done({ row, state, signal }: Job): Promise<LookedAfter> {
    const isEnded = isLastState(state);
    await this.#store(row.task_id, signal, {
      written: state,
      tried: null,
      attempts: 0,
      next_attempt_at: null,
      last_error: null,
      ...(isEnded && { ended_at: this.#deps.runtime.now().toISOString() }),
    });
    return { hasAsked: true, isEnded };
  }

  async #fail(job: Job, failure: CommentFailure, account: string | undefined): Promise<LookedAfter> {
    const { row, state, signal } = job;
    const { runtime, log } = this.#deps;
    const { fault, message } = failure;
    const wait = this.#waitAfter(job, failure, account);
    const isFinal = fault !== 'transient' && fault !== 'unauthorized';
    if (wait === undefined && (isFinal || isLastState(state))) {
      const wasRemoved = fault === 'missing' && row.comment_id !== null;
      const reason = wasRemoved ? 'Somebody removed the comment' : message;
      if (!wasRemoved)
        log.warn(
          { taskId: row.task_id, provider: row.provider, reason },
          'a comment at a source is given up',
        );
      return { ...(await this.#end(row, signal, { last_error: reason })), hasAsked: true };
    }
    const counts = fault !== 'limited';
    await this.#store(row.task_id, signal, {
      tried: state,
      attempts: attemptsOf(row, state) + (counts ? 1 : 0),
      is_uncertain: row.is_uncertain,
      next_attempt_at: wait === undefined ? null : new Date(runtime.now().getTime() + wait).toISOString(),
      last_error: message,
    });
    return { hasAsked: true, isEnded: false, ...(wait !== undefined && { againInMs: wait }) };
  }

  /** Milliseconds before the next try; undefined where there is none. */
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

  async #end(row: SourceCommentRow, signal: AbortSignal, change: CommentChange): Promise<LookedAfter> {
    const ended_at = this.#deps.runtime.now().toISOString();
    const { is_uncertain } = row;
    await this.#store(row.task_id, signal, { is_uncertain, next_attempt_at: null, ended_at, ...change });
    return { ...rests, isEnded: true };
  }

  /** What was written is written again where that cannot be stored, so it is stored until the disk takes it. */
  #store(taskId: string, signal: AbortSignal, change: CommentChange): Promise<void> {
    return untilStored(signal, () => this.#deps.store.update(taskId, change));
  }

  #placeOf({ row, target, signal }: Job, { vendor, baseUrl, authorization }: Access): CommentPlace {
    const { fetch, runtime } = this.#deps;
    const since = new Date(Date.parse(row.created_at) - CLOCKS_MS);
    const api = { vendor, baseUrl, headers: { authorization }, fetch, now: runtime.now, signal };
    return placeOf(target, { api, taskId: row.task_id, since });
  }
}

/** What was tried for another state does not count for this one. */
const attemptsOf = (row: SourceCommentRow, state: CommentState): number =>
  row.tried === state ? row.attempts : 0;

/** Where another token may help. */
const isDenied = (error: unknown): boolean =>
  error instanceof CommentFailure && ['unauthorized', 'refused', 'missing'].includes(error.fault);

function failureOf(error: unknown, log: Log): CommentFailure {
  if (error instanceof CommentFailure) return error;
  if (error instanceof AppError)
    return new CommentFailure('transient', error.message, { waitMs: error.retryAfterMs });
  log.error({ err: error }, 'this is a bug in svc');
  return new CommentFailure('transient', 'Something went wrong in svc');
}
