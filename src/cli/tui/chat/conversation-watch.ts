import type { Client } from '../../../contract/client.ts';
import type { ConversationMessage } from '../../../contract/conversations.ts';
import type { ChatEvent } from './chat-state.ts';
import { type ConversationAnswer, openedEvent } from './load-chat.ts';
import { entriesOfMessages } from './entries-of-messages.ts';

/** A conversation that changed is at the beginning of the list, so no more of it is asked for. */
const LISTED = 5;
/** A message that has no answer for this long gets none. */
const PATIENCE_MS = 15 * 60_000;

export interface WatchParts {
  client: Client;
  now: () => number;
  apply: (event: ChatEvent) => void;
}

/**
 * Finds what other clients do in the conversation that is open. The daemon publishes no events of their turns, so it
 * compares the time of the last change, and reads the conversation only when that is another one.
 */
export class ConversationWatch {
  readonly #parts: WatchParts;
  /** Every known message with what it said. */
  #known = new Map<string, string>();
  #updatedAt: string | undefined;
  /** Whether more is expected: an approval is pending, or an answer is being written. */
  #isOpen = false;
  /** How many turns of this client were not read again. */
  #ownTurns = 0;
  /** The last message, and an answer that continues after a decision, each as it was when it was read. */
  #last: string | undefined;
  #continued: string | undefined;
  #isDecided = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Nothing is known of a conversation that begins. */
  reset(): void {
    this.#known = new Map();
    this.#updatedAt = undefined;
    this.#isOpen = false;
    this.#ownTurns = 0;
    this.#isDecided = false;
    this.#continued = undefined;
    this.#last = undefined;
  }

  /** An approval was decided, so the answer that waited for it continues; in a turn of this client, the turn shows that. */
  expectAnswer(isInTurn: boolean): void {
    if (isInTurn) this.#isDecided = true;
    else this.#continued = this.#last;
    this.#isOpen = true;
  }

  /** A turn of this client finished: what it stored is on the screen already. */
  countOwnTurn(): void {
    this.#ownTurns += 1;
    this.#updatedAt = undefined;
    this.#isDecided = false;
  }

  /** Takes what was read as known and shown. */
  adopt(answer: ConversationAnswer, isLastOwn = false): void {
    const { conversation, messages, pendingApprovals } = answer;
    this.#known = new Map(messages.map((message) => [message.id, fingerprint(message)]));
    this.#updatedAt = conversation.updatedAt;
    this.#ownTurns = 0;
    const last = messages.at(-1);
    const isAsking = pendingApprovals.length > 0;
    this.#isOpen =
      isAsking ||
      answer.currentRun !== undefined ||
      this.#isContinued(last, isAsking) ||
      (!isLastOwn && this.#isUnanswered(last));
    this.#parts.apply({ kind: 'elsewhere', isRunning: this.#isOpen && !isAsking });
  }

  /** Looks once, and shows what is new, if that is still of interest when it arrives. */
  async look(id: string, isWanted: () => boolean): Promise<void> {
    const { client, apply } = this.#parts;
    if (!this.#isOpen && this.#updatedAt !== undefined) {
      const { conversations } = await client.conversations.list({ query: { limit: LISTED } });
      const listed = conversations.find((conversation) => conversation.id === id);
      if (listed === undefined || listed.updatedAt === this.#updatedAt) return;
    }
    const answer = await client.conversations.get({ params: { id } });
    if (!isWanted()) return;
    const { conversation, messages, pendingApprovals } = answer;
    const added = messages.filter(({ id: message }) => !this.#known.has(message));
    const own = countOwn(added, this.#ownTurns);
    const isChanged =
      this.#ownTurns === 0 &&
      messages.some(
        (message) => (this.#known.get(message.id) ?? fingerprint(message)) !== fingerprint(message),
      );
    const others = entriesOfMessages(added.slice(own));
    if (isChanged) apply(openedEvent(answer));
    else {
      if (others.length > 0) apply({ kind: 'appended', entries: others });
      apply({ kind: 'reported', conversation, approvals: pendingApprovals });
    }
    this.adopt(answer, own > 0 && own === added.length);
  }

  /** A daemon that does not report the state of an answer: it is read until it is another one. */
  #isContinued(last: ConversationMessage | undefined, isAsking: boolean): boolean {
    const isKnown = last === undefined || last.status !== undefined || !this.#isRecent(last);
    this.#last = isKnown ? undefined : `${last.id} ${fingerprint(last)}`;
    if (isAsking || this.#isDecided) this.#continued = this.#last;
    else if (this.#continued !== this.#last) this.#continued = undefined;
    this.#isDecided = false;
    return this.#continued !== undefined;
  }

  #isRecent({ createdAt }: ConversationMessage): boolean {
    return this.#parts.now() - Date.parse(createdAt) < PATIENCE_MS;
  }

  #isUnanswered(last: ConversationMessage | undefined): boolean {
    if (last === undefined || !this.#isRecent(last)) return false;
    if (last.role === 'user') return true;
    return last.status === 'waiting' || (last.status === undefined && last.content === '');
  }
}

/** How many messages are of so many own turns: each begins with a message, and its answer may not have been stored. */
function countOwn(messages: readonly ConversationMessage[], turns: number): number {
  let count = 0;
  for (let turn = 0; turn < turns && messages[count]?.role === 'user'; turn++)
    count += messages[count + 1]?.role === 'assistant' ? 2 : 1;
  return count;
}

const fingerprint = (message: ConversationMessage): string =>
  [message.content.length, message.toolCalls?.length ?? 0, message.status ?? ''].join(' ');
