import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEventInput, RunEvent } from '../../../contract/run-events.ts';
import type { StreamLog } from '../../cluster/stream-log.ts';
import type { ConversationFeeds } from '../conversation-feeds.ts';
import { sizeOfEvent } from '../event-size.ts';
import { FeedReaders } from '../feed-readers.ts';

/** How long the last events of another daemon may take once its task has finished. */
const LAST_EVENTS_MS = 2000;

interface Following {
  stop: AbortController;
  /** Resolves when nothing more comes from another daemon. */
  ended: Promise<void>;
}

/** Publishes the events of runs to the readers that are connected at the moment, and to those of their conversations. */
export class RunFeeds {
  readonly #now: () => Date;
  readonly #conversations: ConversationFeeds;
  readonly #readers = new FeedReaders<RunEvent>();
  readonly #log: StreamLog<RunEvent> | undefined;
  /** Runs that other daemons may read. */
  readonly #shared = new Set<string>();
  readonly #following = new Map<string, Following>();

  /** `log` carries the events of shared runs between daemons. */
  constructor(now: () => Date, conversations: ConversationFeeds, log?: StreamLog<RunEvent>) {
    this.#now = now;
    this.#conversations = conversations;
    this.#log = log;
  }

  /** Publishes the events of a run in its conversation too. */
  begin(runId: string, conversationId: string): void {
    this.#conversations.begin(conversationId, runId);
  }

  /** Lets other daemons follow a run that runs here. */
  share(runId: string): void {
    if (!this.#log) return;
    this.#shared.add(runId);
    this.#stopFollowing(runId);
  }

  emit(runId: string, event: RunEventInput): void {
    const timed: RunEvent = { ...event, timestamp: this.#now().getTime() };
    if (this.#shared.has(runId)) this.#log?.append(runId, timed);
    this.#publish(runId, timed);
  }

  /** Closes the feed of a run after its last event. */
  close(runId: string): void {
    if (this.#shared.delete(runId)) this.#log?.end(runId);
    const following = this.#following.get(runId);
    if (!following) return this.#close(runId);
    void Promise.race([following.ended, sleep(LAST_EVENTS_MS, undefined, { ref: false })]).then(() =>
      this.#close(runId),
    );
  }

  /** Streams the events of a run from now until it finishes or the signal aborts. */
  open(runId: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
    return this.#readers.open(runId, signal);
  }

  /** The same of a run that may run on another daemon. */
  follow(runId: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
    if (this.#log) {
      const stop = new AbortController();
      const ended = this.#read(this.#log, runId, AbortSignal.any([signal, stop.signal]));
      this.#following.set(runId, { stop, ended });
    }
    return this.open(runId, signal);
  }

  async #read(log: StreamLog<RunEvent>, runId: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const entry of log.follow(runId, signal)) {
        if (entry === 'end') return;
        this.#publish(runId, entry.item);
      }
    } catch {
      // Without the stream the end of the task still closes the feed, and the answer is stored.
    }
  }

  #publish(runId: string, event: RunEvent): void {
    this.#conversations.emit(runId, event);
    if (this.#readers.has(runId)) this.#readers.push(runId, event, sizeOfEvent(event));
  }

  #close(runId: string): void {
    this.#stopFollowing(runId);
    this.#conversations.end(runId);
    this.#readers.close(runId);
  }

  #stopFollowing(runId: string): void {
    this.#following.get(runId)?.stop.abort();
    this.#following.delete(runId);
  }
}
