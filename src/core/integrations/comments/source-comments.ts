import { BackgroundSweep } from '../../async/background-sweep.ts';
import { AppError } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import { LaneOwner, type LanePeers } from '../../outbound/lane-owner.ts';
import type { Runtime } from '../../runtime.ts';
import type { TaskEventType } from '../../../contract/task.ts';
import { waitEventTypes } from '../../../contract/wait-events.ts';
import { type WireName, wireName } from '../../../contract/vendors.ts';
import type { CommentTarget } from '../inbound/source-work.ts';
import { CommentQueue, type WriteResult } from './comment-queue.ts';
import type { CommentWriter } from './comment-writer.ts';
import type { SourceCommentStore } from './source-comment-store.ts';
import { storeTarget } from './stored-target.ts';

const AGAIN_MS = 15_000;
const PAGE = 500;
const KEEP_MS = 30 * 24 * 3_600_000;
/** Only these events can change what a comment says. */
const news: ReadonlySet<TaskEventType> = new Set([
  'started',
  'completed',
  'failed',
  'cancelled',
  ...waitEventTypes,
]);

/** A task whose progress is reported at its source. */
export interface NewSourceComment {
  taskId: string;
  ownerId: string;
  target: CommentTarget;
}

export interface SourceCommentsDeps {
  database: Database;
  store: SourceCommentStore;
  writer: CommentWriter;
  bus: EventBus;
  runtime: Runtime;
  log: Log;
  /** In a cluster, where the comments at one vendor are written by one daemon at a time. */
  peers?: LanePeers | undefined;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** Maintains one progress comment at the source of each task, across restarts of the daemon. */
export class SourceComments {
  readonly #deps: SourceCommentsDeps;
  readonly #queue: CommentQueue;
  /** The provider of each task with an unfinished comment. */
  readonly #open = new Map<string, WireName>();
  readonly #sweeps: BackgroundSweep;
  readonly #owner: LaneOwner | undefined;
  #position = '';
  #unsubscribe: (() => void) | undefined;

  constructor(deps: SourceCommentsDeps) {
    this.#deps = deps;
    const { runtime, setTimer, log, peers } = deps;
    this.#sweeps = new BackgroundSweep({ processPage: () => this.sweep(), log });
    this.#owner =
      peers &&
      new LaneOwner({
        ...peers,
        kind: 'comments',
        log,
        isIdle: (provider) => ![...this.#open.values()].includes(provider as WireName),
        onChange: () =>
          this.#sweeps.runInBackground(async () => {
            while (!this.#sweeps.isStopped && (await this.sweep()));
          }),
        onDelivery: () => undefined,
        onEnd: () => undefined,
      });
    this.#queue = new CommentQueue({
      write: (taskId, signal) => this.#write(taskId, signal),
      monotonic: runtime.monotonic,
      ...(setTimer && { setTimer }),
    });
  }

  /** Stores, in the transaction of a new task, that its progress is reported at the source. */
  add(transaction: WriteTransaction, { taskId, ownerId, target }: NewSourceComment): void {
    const { store, runtime } = this.#deps;
    const provider = wireName(target.provider);
    store.insert(transaction, {
      task_id: taskId,
      provider,
      owner_id: ownerId,
      target: storeTarget(target),
      created_at: runtime.now().toISOString(),
    });
    // There is nothing to say until an event of the task wakes it.
    transaction.afterCommit(() => {
      if (this.#owner && !this.#owner.owns(provider)) this.#owner.claim(provider);
      else this.#expect(taskId, provider);
    });
  }

  /** Resumes the comments of an earlier process in the background. */
  start(): void {
    this.#sweeps.start();
  }

  /** Aborts writes in progress; the next start resumes them. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#owner?.stop();
    await this.#sweeps.stop();
    await this.#queue.stop();
  }

  /** Queues a page of unfinished comments; resolves to whether there are more. */
  async sweep(): Promise<boolean> {
    const { store } = this.#deps;
    if (this.#position === '') await store.reopenRevived();
    const page = await store.open(this.#position, PAGE);
    this.#position = page.length < PAGE ? '' : (page.at(-1)?.task_id ?? '');
    const isMine = new Map<WireName, boolean>();
    for (const { task_id, provider } of page) {
      let mine = isMine.get(provider);
      if (mine === undefined) isMine.set(provider, (mine = this.#isMine(provider)));
      if (mine) this.#take(task_id, provider);
    }
    return this.#position !== '';
  }

  /** Removes comments that finished long ago. */
  async removeOld(): Promise<void> {
    const { store, runtime } = this.#deps;
    await store.removeEndedBefore(new Date(runtime.now().getTime() - KEEP_MS).toISOString());
  }

  /** Whether this daemon writes at the vendor; it tries to become the one that does. */
  #isMine(provider: WireName): boolean {
    if (!this.#owner || this.#owner.owns(provider)) return true;
    this.#owner.claim(provider);
    return false;
  }

  #take(taskId: string, provider: WireName): void {
    this.#expect(taskId, provider);
    if (!this.#sweeps.isStopped) this.#queue.add(taskId, provider);
  }

  /** From now on events of the task bring its comment up to date. */
  #expect(taskId: string, provider: WireName): void {
    if (this.#sweeps.isStopped) return;
    this.#open.set(taskId, provider);
    this.#unsubscribe ??= this.#listen();
  }

  #listen(): () => void {
    const { bus } = this.#deps;
    const wake = (taskId: string) => {
      const provider = this.#open.get(taskId);
      if (provider !== undefined) this.#queue.wake(taskId, provider);
    };
    const ofTasks = bus.on('task', ({ task, event }) => {
      if (news.has(event.type)) wake(task.id);
    });
    const ofApprovals = bus.on('approval', ({ row }) => {
      if (row.task_id !== null) wake(row.task_id);
    });
    return () => {
      ofTasks();
      ofApprovals();
    };
  }

  async #write(taskId: string, signal: AbortSignal): Promise<WriteResult> {
    const { writer, log } = this.#deps;
    const provider = this.#open.get(taskId);
    if (this.#owner && (provider === undefined || !this.#owner.owns(provider))) {
      this.#forget(taskId);
      return { hasCalled: false };
    }
    try {
      const { isEnded, ...written } = await writer.write(taskId, signal);
      if (isEnded) this.#forget(taskId);
      return written;
    } catch (error) {
      if (signal.aborted) return { hasCalled: false };
      if (error instanceof AppError)
        log.warn({ taskId, reason: error.message }, 'a source comment is delayed');
      else log.error({ err: error }, 'this is a bug in svc');
      return { hasCalled: false, retryInMs: AGAIN_MS };
    }
  }

  #forget(taskId: string): void {
    this.#open.delete(taskId);
    if (this.#open.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}
