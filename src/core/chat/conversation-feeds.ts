import type { RunEvent } from '../../contract/run-events.ts';
import type { ServerSentEvent } from '../../contract/server-sent-events.ts';
import type { StreamLog, TurnEvent } from '../cluster/stream-log.ts';
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
  /** The number of the last event that came from here. */
  count: number;
  events: (TurnEvent & { characters: number })[];
  characters: number;
  isOver: boolean;
}

/** What a cluster needs of the turns of a daemon. */
export interface TurnSharing {
  log: StreamLog<TurnEvent>;
  /** Tells the other daemons of a turn. */
  announce: (conversationId: string, runId: string) => void;
}

/** Publishes the events of all turns of a conversation; who joins late is sent the current turn from its beginning. */
export class ConversationFeeds {
  readonly #epoch: string;
  readonly #sharing: TurnSharing | undefined;
  /** Turns of which events came from here. */
  readonly #own = new Set<string>();
  readonly #turns = new Map<string, Turn>();
  readonly #readers = new FeedReaders<Item>();
  /** `epoch` differs with each start of the daemon: the numbers of events restart with it. */
  constructor(epoch: string, sharing?: TurnSharing) {
    this.#epoch = epoch;
    this.#sharing = sharing;
  }

  hasReaders(conversationId: string): boolean {
    return this.#readers.has(conversationId);
  }

  /** The conversations that clients follow. */
  watched(): string[] {
    return this.#readers.keys();
  }

  knows(runId: string): boolean {
    return this.#turns.has(runId);
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
    const item = { event, epoch: this.#epoch, number: ++turn.count };
    if (this.#sharing) {
      if (turn.count === 1) this.#sharing.announce(turn.conversationId, runId);
      this.#own.add(runId);
      this.#sharing.log.append(runId, item);
    }
    this.receive(runId, item);
  }

  /** Publishes an event of a turn that another daemon runs. */
  receive(runId: string, item: TurnEvent): void {
    const turn = this.#turns.get(runId);
    if (!turn || turn.isOver) return;
    const characters = sizeOfEvent(item.event);
    turn.events.push({ ...item, characters });
    turn.characters += characters;
    if (turn.characters > MAX_TURN)
      for (const { characters: dropped } of turn.events.splice(0, Math.ceil(turn.events.length / 2)))
        turn.characters -= dropped;
    this.#readers.push(turn.conversationId, toItem(runId, item), characters);
  }

  /** Ends a turn; its events are kept for a while. */
  end(runId: string): void {
    const turn = this.#turns.get(runId);
    if (!turn) return;
    if (this.#own.delete(runId)) this.#sharing?.log.end(runId);
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
    const earlier = this.#of(conversationId).flatMap(({ runId, isOver, events }) => {
      const isOfTurn =
        runId === afterRun && (epoch === this.#epoch || events.some((each) => each.epoch === epoch));
      if (isOver && !isOfTurn) return [];
      const last = isOfTurn
        ? events.findLastIndex((each) => each.epoch === epoch && each.number <= Number(afterNumber))
        : -1;
      return events.slice(last + 1).map((each) => toItem(runId, each));
    });
    const items = this.#readers.open(conversationId, signal, earlier);
    if (epoch === undefined || epoch === this.#epoch) return items;
    // The turn of another daemon may come only now, with what the client has.
    return withoutKnown(items, `${afterRun}:${epoch}:`, Number(afterNumber));
  }

  /** Ends the streams of a conversation that was deleted. */
  close(conversationId: string): void {
    for (const { runId } of this.#of(conversationId)) this.#turns.delete(runId);
    this.#readers.close(conversationId);
  }

  #of(conversationId: string): Turn[] {
    return [...this.#turns.values()].filter((turn) => turn.conversationId === conversationId);
  }
}

async function* withoutKnown(
  items: AsyncGenerator<Item>,
  prefix: string,
  last: number,
): AsyncGenerator<Item> {
  for await (const item of items)
    if (!(item.id?.startsWith(prefix) && Number(item.id.slice(prefix.length)) <= last)) yield item;
}

const toItem = (runId: string, { event, epoch, number }: TurnEvent): Item => ({
  id: `${runId}:${epoch}:${number}`,
  data: { ...event, runId },
});
