import type { RunEvent } from '../../../contract/run-events.ts';

/**
 * Tells the turns that a chat reads from its own requests from those of other clients, in the stream of a conversation,
 * which has both; the same event may come from either stream first.
 */
export class OwnTurns {
  /** Ids of messages and turns. */
  readonly #known = new Set<string>();
  /** Turns that were seen while one of its own was active, with their messages as far as they are known. */
  #unknown = new Map<string, string | undefined>();
  #isActive = false;
  #count = 0;

  get isActive(): boolean {
    return this.#isActive;
  }

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  begin(): void {
    if (!this.#isActive) this.#count++;
    this.#isActive = true;
  }

  /** Learns the ids of the turn from its own stream. */
  note(event: RunEvent): void {
    if (event.type === 'user_message') this.#known.add(event.data.id);
    if (event.type === 'session:start') this.#known.add(event.data.sessionId);
  }

  /** Learns the id of a turn. */
  add(runId: string): void {
    this.#known.add(runId);
  }

  /** Whether an event of the conversation is shown already, or must not be shown now. */
  has(event: RunEvent): boolean {
    const { runId = '' } = event;
    const messageId = event.type === 'user_message' ? event.data.id : undefined;
    if (messageId !== undefined && this.#known.has(messageId)) this.#known.add(runId);
    if (this.#known.has(runId)) return true;
    if (!this.#isActive) return false;
    this.#unknown.set(runId, this.#unknown.get(runId) ?? messageId);
    return true;
  }

  /** The turn is over; answers whether one of another client was seen meanwhile. */
  end(): boolean {
    this.#isActive = false;
    let hasOthers = false;
    for (const [runId, messageId] of this.#unknown)
      if (messageId !== undefined && this.#known.has(messageId)) this.#known.add(runId);
      else if (!this.#known.has(runId)) hasOthers = true;
    this.#unknown = new Map();
    return hasOthers;
  }

  clear(): void {
    this.#known.clear();
    this.#unknown = new Map();
  }
}
