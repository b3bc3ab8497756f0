import type { RunEventInput, RunEvent } from '../../../contract/run-events.ts';
import type { ConversationFeeds } from '../conversation-feeds.ts';
import { sizeOfEvent } from '../event-size.ts';
import { FeedReaders } from '../feed-readers.ts';

/** Publishes the events of runs to the readers that are connected at the moment, and to those of their conversations. */
export class RunFeeds {
  readonly #now: () => Date;
  readonly #conversations: ConversationFeeds;
  readonly #readers = new FeedReaders<RunEvent>();
  constructor(now: () => Date, conversations: ConversationFeeds) {
    this.#now = now;
    this.#conversations = conversations;
  }

  /** Publishes the events of a run in its conversation too. */
  begin(runId: string, conversationId: string): void {
    this.#conversations.begin(conversationId, runId);
  }

  emit(runId: string, event: RunEventInput): void {
    const timed: RunEvent = { ...event, timestamp: this.#now().getTime() };
    this.#conversations.emit(runId, timed);
    if (this.#readers.has(runId)) this.#readers.push(runId, timed, sizeOfEvent(timed));
  }

  /** Closes the feed of a run after its last event. */
  close(runId: string): void {
    this.#conversations.end(runId);
    this.#readers.close(runId);
  }

  /** Streams the events of a run from now until it finishes or the signal aborts. */
  open(runId: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
    return this.#readers.open(runId, signal);
  }
}
