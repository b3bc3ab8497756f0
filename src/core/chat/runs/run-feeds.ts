import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEventInput, RunEvent } from '../../../contract/run-events.ts';
import type { ConversationFeeds } from '../conversation-feeds.ts';
import type { TurnFollower } from '../turn-follower.ts';
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
  readonly #follower: Pick<TurnFollower, 'read'> | undefined;
  readonly #following = new Map<string, Following>();

  /** `follower` reads what other daemons run. */
  constructor(now: () => Date, conversations: ConversationFeeds, follower?: Pick<TurnFollower, 'read'>) {
    this.#now = now;
    this.#conversations = conversations;
    this.#follower = follower;
  }

  /** Publishes the events of a run in its conversation too. */
  begin(runId: string, conversationId: string): void {
    this.#conversations.begin(conversationId, runId);
  }

  /** To be called before the first event of a run that runs here: no other daemon is asked for it any more. */
  take(runId: string): void {
    this.#stopFollowing(runId);
  }

  emit(runId: string, event: RunEventInput): void {
    const timed: RunEvent = { ...event, timestamp: this.#now().getTime() };
    this.#conversations.emit(runId, timed);
    this.#push(runId, timed);
  }

  /** Closes the feed of a run after its last event. */
  close(runId: string): void {
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

  /** The same of a run that may run on another daemon, whose last event `onEnd` follows. */
  follow(
    runId: string,
    signal: AbortSignal,
    { onEnd, onError }: { onEnd: () => void; onError: (error: unknown) => void },
  ): AsyncGenerator<RunEvent> {
    if (this.#follower) {
      const stop = new AbortController();
      const ended = this.#follower
        .read(runId, AbortSignal.any([signal, stop.signal]), (item) => {
          this.#conversations.receive(runId, item);
          this.#push(runId, item.event);
        })
        .then(() => {
          if (!stop.signal.aborted) onEnd();
        }, onError);
      this.#following.set(runId, { stop, ended });
    }
    return this.open(runId, signal);
  }

  #push(runId: string, event: RunEvent): void {
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
