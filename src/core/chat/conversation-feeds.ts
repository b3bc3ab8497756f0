import type { RunEvent } from '../../contract/run-events.ts';
import type { ServerSentEvent } from '../../contract/server-sent-events.ts';
import { sizeOfEvent } from './event-size.ts';
import { FeedReaders } from './feed-readers.ts';

/** Characters of the events of one turn that a client which joins late is sent; the oldest go first. */
const MAX_TURN = 4 * 1024 * 1024;
/** Characters of the events of all finished turns, kept for clients that reconnect. */
const MAX_FINISHED = 16 * 1024 * 1024;

type Item = ServerSentEvent<RunEvent>;
interface Turn {
  runId: string;
  conversationId: string;
  /** The number of its last event. */
  count: number;
  events: { number: number; characters: number; data: RunEvent }[];
  characters: number;
  isOver: boolean;
}

/** Publishes the events of all turns of a conversation; who joins late is sent the current turn from its beginning. */
export class ConversationFeeds {
  readonly #epoch: string;
  readonly #turns = new Map<string, Turn>();
  readonly #readers = new FeedReaders<Item>();
  /** `epoch` differs with each start of the daemon: the numbers of events restart with it. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Starts to keep the events of a turn. */
  begin(conversationId: string, runId: string): void {
    if (this.#turns.has(runId)) return;
    // A client that reconnects now has missed the end of the turn before by a whole message: it loads that.
    for (const turn of this.#of(conversationId)) if (turn.isOver) this.#turns.delete(turn.runId);
    this.#turns.set(runId, { runId, conversationId, count: 0, events: [], characters: 0, isOver: false });
  }

  /** Publishes an event of a turn; of one that was not begun, nothing. */
  emit(runId: string, event: RunEvent): void {
    const turn = this.#turns.get(runId);
    if (!turn || turn.isOver) return;
    const data = { ...event, runId };
    const characters = sizeOfEvent(data);
    turn.events.push({ number: ++turn.count, characters, data });
    turn.characters += characters;
    if (turn.characters > MAX_TURN)
      for (const { characters: dropped } of turn.events.splice(0, Math.ceil(turn.events.length / 2)))
        turn.characters -= dropped;
    this.#readers.push(turn.conversationId, this.#item(runId, { number: turn.count, data }), characters);
  }

  /** Ends a turn; its events are kept for a while. */
  end(runId: string): void {
    const turn = this.#turns.get(runId);
    if (!turn) return;
    turn.isOver = true;
    const finished = [...this.#turns.values()].filter(({ isOver }) => isOver);
    let characters = finished.reduce((sum, each) => sum + each.characters, 0);
    for (const each of finished) {
      if (characters <= MAX_FINISHED) return;
      characters -= each.characters;
      this.#turns.delete(each.runId);
    }
  }

  /** Streams what follows the event `after`, or the current turn from its beginning, and everything later. */
  open(conversationId: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<Item> {
    const [, afterRun, epoch, afterNumber = '0'] = /^(.+):(\w+):(\d{1,15})$/.exec(after ?? '') ?? [];
    const isOfThisStart = epoch === this.#epoch;
    const earlier = this.#of(conversationId).flatMap(({ runId, isOver, events }) => {
      const isKnown = isOfThisStart && runId === afterRun;
      if (isOver && !isKnown) return [];
      const missed = isKnown ? Number(afterNumber) : 0;
      return events.filter(({ number }) => number > missed).map((event) => this.#item(runId, event));
    });
    return this.#readers.open(conversationId, signal, earlier);
  }

  /** Ends the streams of a conversation that was deleted. */
  close(conversationId: string): void {
    for (const { runId } of this.#of(conversationId)) this.#turns.delete(runId);
    this.#readers.close(conversationId);
  }

  #item(runId: string, { number, data }: { number: number; data: RunEvent }): Item {
    return { id: `${runId}:${this.#epoch}:${number}`, data };
  }

  #of(conversationId: string): Turn[] {
    return [...this.#turns.values()].filter((turn) => turn.conversationId === conversationId);
  }
}
