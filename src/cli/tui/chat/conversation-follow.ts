import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client } from '../../../contract/client.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { runFailure } from '../../commands/chat/run-failure.ts';
import type { ChatEvent } from './chat-state.ts';
import { FIRST_DELAY_MS, isLost, nextDelay } from './connection-lost.ts';
import type { ConversationAnswer } from './load-chat.ts';
import { OwnTurns } from './own-turns.ts';

export interface FollowParts {
  client: Client;
  now: () => number;
  push: (event: ChatEvent) => void;
  apply: (event: ChatEvent) => void;
  /** Shows a conversation that others have changed. */
  show: (answer: ConversationAnswer) => void;
  complain: (error: unknown) => void;
  /** A turn that this chat did not send, or no longer reads itself, is over. */
  onEnd: (end: 'done' | 'interrupted' | 'failed') => void;
}

/** The message of a turn and its answer. */
const OWN_MESSAGES = 2;
/** Codes of turns that ended from outside. */
const interruptions = new Set(['CANCELLED', 'OVERTAKEN', 'STOPPED']);

/** Shows live what happens in a conversation whichever client causes it, except for the turns that this chat reads itself. */
export class ConversationFollow {
  readonly #parts: FollowParts;
  readonly #own = new OwnTurns();
  #following = new AbortController();
  #id: string | undefined;
  /** The turn of others that runs. */
  #running: string | undefined;
  /** What is shown of the stored messages. */
  #shown = nothing;
  #isDown = false;

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  /** Whether a turn runs that this chat does not read itself. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Follows a conversation instead of the one before; `shown` is what of it is on the screen. */
  follow(id: string, shown?: ConversationAnswer): void {
    this.leave();
    this.#id = id;
    this.#shown = shown === undefined ? nothing : seenOf(shown);
    this.#following = new AbortController();
    void this.#stay(id, this.#following.signal);
  }

  /** Follows nothing. */
  leave(): void {
    this.#following.abort();
    this.#id = undefined;
    this.#running = undefined;
    this.#own.clear();
    this.#setDown(false);
  }

  /** A turn of this chat begins: its own stream has its events. */
  beginOwn(): void {
    this.#running = undefined;
    this.#own.begin();
  }

  noteOwn(event: RunEvent): void {
    this.#own.note(event);
  }

  /** Learns the id of what this chat did, other than by its events. */
  addOwn(runId: string): void {
    this.#own.add(runId);
  }

  /** The turn is over; `isOpen` says that it continues without its stream, or that its end was missed. */
  endOwn({ isOpen }: { isOpen: boolean }): void {
    const hasMissed = this.#own.end();
    if (this.#id === undefined) return;
    if (isOpen || hasMissed) this.follow(this.#id);
    else void this.#refresh(this.#id, this.#following.signal, OWN_MESSAGES);
  }

  /** Joins again as often as the connection breaks. */
  async #stay(id: string, signal: AbortSignal): Promise<void> {
    let wait = FIRST_DELAY_MS;
    try {
      for (;;) {
        try {
          await this.#join(id, signal, () => (wait = FIRST_DELAY_MS));
        } catch (error) {
          if (signal.aborted) return;
          if (!isPassing(error)) {
            this.#setDown(false);
            this.#parts.complain(error);
            return;
          }
        }
        if (signal.aborted) return;
        // Its own turn says so itself, and joins again when it is over.
        if (!this.#own.isActive) this.#setDown(true);
        await delay(wait, undefined, { signal });
        wait = nextDelay(wait);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Opens the stream before it reads the conversation, so that it misses nothing; resolves when the stream ends. */
  async #join(id: string, signal: AbortSignal, onOpen: () => void): Promise<void> {
    const { client } = this.#parts;
    const { count, isActive } = this.#own;
    const leaving = new AbortController();
    const opened = Promise.withResolvers<void>();
    const early: RunEvent[] = [];
    let take = (event: RunEvent): void => {
      early.push(event);
    };
    const reading = this.#read(id, {
      signal: AbortSignal.any([signal, leaving.signal]),
      onOpen: opened.resolve,
      take: (event) => take(event),
    });
    try {
      await Promise.race([opened.promise, reading]);
      const answer = await client.conversations.get({ params: { id } }, { signal });
      onOpen();
      this.#setDown(false);
      this.#running = undefined;
      // What was read is older than a turn of its own at that time.
      if (!isActive && this.#own.count === count) this.#adopt(answer);
      take = (event) => this.#take(event);
      for (const event of early) this.#take(event);
      await reading;
    } finally {
      leaving.abort();
      await reading.catch(() => undefined);
    }
  }

  async #read(
    id: string,
    { signal, onOpen, take }: { signal: AbortSignal; onOpen: () => void; take: (event: RunEvent) => void },
  ): Promise<void> {
    const events = this.#parts.client.conversations.followEventsStream(
      { params: { id } },
      { signal, onOpen },
    );
    for await (const { data } of events) take(data);
  }

  /** Shows a conversation that was read again, unless all of it is on the screen. */
  #adopt(answer: ConversationAnswer): void {
    const { apply, show } = this.#parts;
    const seen = seenOf(answer);
    const isKnown = this.#shown.print === seen.print;
    this.#shown = seen;
    if (isKnown) apply({ kind: 'reported', conversation: answer.conversation });
    else show(answer);
  }

  #take(event: RunEvent): void {
    const { push, now, complain, onEnd } = this.#parts;
    if (this.#own.has(event)) return;
    const { runId, type } = event;
    // A compaction that a person asked for is no turn.
    if (type !== 'compaction' && type !== 'complete' && type !== 'message_saved') this.#running = runId;
    push({ kind: 'run', event, at: now() });
    if (type === 'error') {
      this.#running = undefined;
      const isInterrupted = interruptions.has(event.data.code);
      if (isInterrupted)
        push({ kind: 'note', text: event.data.code === 'STOPPED' ? stopped : 'Interrupted.' });
      else complain(runFailure(event.data));
      this.#refreshNow();
      onEnd(isInterrupted ? 'interrupted' : 'failed');
    }
    if (type === 'complete') this.#running = undefined;
    if (type === 'complete' || type === 'compaction') this.#refreshNow();
    if (type === 'message_saved') {
      this.#refreshNow();
      onEnd('done');
    }
  }

  #refreshNow(): void {
    if (this.#id !== undefined) void this.#refresh(this.#id, this.#following.signal);
  }

  /** Reads what the conversation used, after something that changed it; shows all of it where there is more than expected. */
  async #refresh(id: string, signal: AbortSignal, expected = Number.POSITIVE_INFINITY): Promise<void> {
    const { client, apply, show } = this.#parts;
    try {
      const answer = await client.conversations.get({ params: { id } }, { signal });
      if (signal.aborted) return;
      const added = answer.messages.length - this.#shown.count;
      this.#shown = seenOf(answer);
      if (added > expected) show(answer);
      else apply({ kind: 'reported', conversation: answer.conversation });
    } catch {
      // The stream reports what is wrong with the connection, and joining again reads it.
    }
  }

  #setDown(isOn: boolean): void {
    if (isOn !== this.#isDown) this.#parts.apply({ kind: 'reconnecting', isOn });
    this.#isDown = isOn;
  }
}

/** Whether it may work a moment later: no daemon answers, or it has too much to do. */
const isPassing = (error: unknown): boolean =>
  isLost(error) || (error instanceof ApiError && error.status >= 429);

const stopped = 'The daemon stopped before the answer was complete. Send "continue" to let it go on.';

interface Seen {
  count: number;
  /** Differs when another client has said something, or an answer got further. */
  print: string;
}
const nothing: Seen = { count: 0, print: '' };
const seenOf = ({ messages }: ConversationAnswer): Seen => ({
  count: messages.length,
  print: messages
    .map(({ id, content, status, toolCalls }) => [id, content.length, status, toolCalls?.length].join(' '))
    .join(),
});
