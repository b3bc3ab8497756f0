import { setTimeout as delay } from 'node:timers/promises';
import type { Approval, DecideApproval } from '../../../contract/approvals.ts';
import { ApiError, type Client } from '../../../contract/client.ts';
import { beginConversation } from '../../commands/chat/choose-conversation.ts';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import type { Connection } from '../../connection/connection.ts';
import type { ChatEvent } from './chat-state.ts';
import { isLost } from './connection-lost.ts';
import { ConversationWatch } from './conversation-watch.ts';
import { type ConversationAnswer, findAndLoad, openedEvent } from './load-chat.ts';
import { runTurn, type Turn, type TurnEnd } from './run-turn.ts';

export interface ChatSessionParts {
  connection: Connection;
  /** The conversation to continue; otherwise the first message creates one. */
  opened?: ConversationAnswer | undefined;
  /** Where the tools of new conversations work. */
  folder: string;
  /** A failure in one line with what to do next. */
  formatError: (error: unknown) => string;
  /** Epoch milliseconds. */
  now: () => number;
  /** How often it looks for what other clients do in the conversation. */
  lookEveryMs: number;
  /** How the next message is answered. */
  settings: () => ChatSettings;
  /** Takes an event that may wait for a moment. */
  push: (event: ChatEvent) => void;
  /** Takes an event that should be seen at once. */
  apply: (event: ChatEvent) => void;
}

/** A message as it was written, and with what is attached to it. */
export interface OutgoingMessage {
  text: string;
  content: string;
}

/** Connects the chat to the daemon; every outcome is an event, and nothing is thrown. */
export class ChatSession {
  readonly #parts: ChatSessionParts;
  readonly #watch: ConversationWatch;
  readonly #left = new AbortController();
  #conversationId: string | undefined;
  #turn: Turn | undefined;
  #queue: readonly OutgoingMessage[] = [];
  #taskLeftBehind: string | undefined;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
    const { connection, now, apply, opened } = parts;
    this.#watch = new ConversationWatch({ client: connection.client, now, apply });
    this.#conversationId = opened?.conversation.id;
  }

  get conversationId(): string | undefined {
    return this.#conversationId;
  }
  /** The task that continues after the chat was closed. */
  get taskLeftBehind(): string | undefined {
    return this.#taskLeftBehind;
  }
  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  /** Begins to look for what other clients do. */
  start(): void {
    const { opened } = this.#parts;
    if (opened) this.#watch.adopt(opened);
    void this.#follow();
  }

  /** Sends a message now, or after the current turn. */
  submit(message: OutgoingMessage): void {
    if (this.#turn) return this.#setQueue([...this.#queue, message]);
    void this.#work(message);
  }

  /** Sends the first message of the queue, which waits after a turn that failed; false where there is none. */
  sendQueued(): boolean {
    const [next, ...others] = this.#queue;
    if (next === undefined || this.#turn) return false;
    this.#setQueue(others);
    void this.#work(next);
    return true;
  }

  /** Takes the last message of the queue back. */
  takeBack(): string | undefined {
    const last = this.#queue.at(-1);
    if (last) this.#setQueue(this.#queue.slice(0, -1));
    return last?.text;
  }

  /**
   * Interrupts the turn, and denies what it waits for: the daemon keeps a turn that waits. Asked for again, it no longer
   * waits until the daemon has stopped the turn.
   */
  async cancel(pending: readonly Approval[] = []): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    const isAgain = turn.isCancelled;
    turn.isCancelled = true;
    const own = pending.filter(({ conversationId }) => conversationId === this.#conversationId);
    if (!isAgain && !turn.isReconnecting)
      await Promise.all(own.map((approval) => this.decide(approval, { decision: 'deny' })));
    if (!turn.isAgentic || isAgain || turn.isReconnecting) return turn.controller.abort();
    const { taskId } = turn;
    if (taskId !== undefined) await this.fetch((client) => client.tasks.cancel({ params: { id: taskId } }));
  }

  /** Leaves; a turn that is no task ends with its reader. */
  leave(): void {
    this.#taskLeftBehind = this.#turn?.taskId;
    this.#left.abort();
    this.#turn?.controller.abort();
  }

  async decide(approval: Approval, decision: DecideApproval): Promise<void> {
    const { connection, apply } = this.#parts;
    const { id, conversationId } = approval;
    const isElsewhere = conversationId !== this.#conversationId;
    apply({ kind: 'decided', id });
    try {
      const decided = await connection.client.approvals.decide({ params: { id }, body: decision });
      for (const also of decided.alsoAllowed ?? []) apply({ kind: 'decided', id: also });
      if (!isElsewhere) this.#watch.expectAnswer(this.#turn !== undefined);
      else this.#note('Decided. The answer continues in its conversation: /resume');
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 400;
      // The call still waits if its changed arguments were refused.
      if (isRefused && decision.arguments) {
        apply({ kind: 'asked', approvals: [approval] });
        this.#complain(error);
      } else if (isRefused) this.#note('This was already decided, or it expired.');
      else this.#complain(error);
    }
  }

  /** Shows a conversation from its id or the beginning of it. */
  async open(text: string): Promise<void> {
    const answer = await this.fetch((client) => findAndLoad(client, text));
    if (answer) this.#show(answer);
  }

  /** The next message begins a conversation. */
  startNew(): void {
    this.#conversationId = undefined;
    this.#watch.reset();
    this.#parts.apply({ kind: 'opened', conversation: undefined, entries: [], approvals: [] });
  }

  /** Asks about everything that waits for a decision, in other conversations too. */
  async showApprovals(): Promise<void> {
    const answer = await this.fetch((client) => client.approvals.list());
    if (!answer) return;
    if (answer.approvals.length === 0) this.#note('No pending approvals.');
    else this.#parts.apply({ kind: 'asked', approvals: answer.approvals });
  }

  /** Fetches something; a failure is shown, and the result is undefined. */
  async fetch<T>(ask: (client: Client) => Promise<T>): Promise<T | undefined> {
    try {
      return await ask(this.#parts.connection.client);
    } catch (error) {
      this.#complain(error);
      return undefined;
    }
  }

  /** Sends one message after the other, until none is queued or a turn fails. */
  async #work(first: OutgoingMessage): Promise<void> {
    for (let next: OutgoingMessage | undefined = first; next;) {
      const end = await this.#take(next);
      if (this.#left.signal.aborted) return;
      if (end === 'unsent') this.#setQueue([next, ...this.#queue]);
      if (end !== 'done' && end !== 'interrupted') {
        if (this.#queue.length > 0)
          this.#note('Queued messages wait. Press Enter in the empty box to send the next one.');
        return;
      }
      const [following, ...others]: readonly OutgoingMessage[] = this.#queue;
      if (following) this.#setQueue(others);
      next = following;
    }
  }

  async #take({ content }: OutgoingMessage): Promise<TurnEnd> {
    const { connection, apply, push, now, settings } = this.#parts;
    const turn: Turn = {
      controller: new AbortController(),
      isAgentic: settings().isAgentic,
      isCancelled: false,
      isReconnecting: false,
    };
    this.#turn = turn;
    apply({ kind: 'sent', text: content, at: now() });
    try {
      return await runTurn(turn, {
        client: connection.client,
        content,
        settings: settings(),
        conversationId: () => this.#conversationId,
        begin: () => this.#begin(),
        show: (answer) => this.#show(answer),
        apply,
        push,
        complain: (error) => this.#complain(error),
        cancelTask: (id) => void this.fetch((client) => client.tasks.cancel({ params: { id } })),
      });
    } finally {
      this.#turn = undefined;
      if (!turn.wasReadAgain) this.#watch.countOwnTurn();
      apply({ kind: 'ended', at: now() });
    }
  }

  async #begin(): Promise<string> {
    const { connection, folder, push } = this.#parts;
    const conversation = await beginConversation(connection, folder);
    this.#conversationId = conversation.id;
    this.#watch.reset();
    push({ kind: 'began', conversation });
    return conversation.id;
  }

  #show(answer: ConversationAnswer): void {
    this.#conversationId = answer.conversation.id;
    this.#parts.apply(openedEvent(answer));
    this.#watch.adopt(answer);
  }

  /** Looks for what other clients do while no turn of its own runs. */
  async #follow(): Promise<void> {
    const { lookEveryMs, apply } = this.#parts;
    const { signal } = this.#left;
    let isDown = false;
    const setDown = (isOn: boolean) => {
      if (isOn !== isDown) apply({ kind: 'reconnecting', isOn });
      isDown = isOn;
    };
    while (await isLater(lookEveryMs, signal)) {
      const id = this.#conversationId;
      if (this.#turn || id === undefined) continue;
      try {
        await this.#watch.look(id, () => this.#turn === undefined && this.#conversationId === id);
        setDown(false);
      } catch (error) {
        if (signal.aborted) return;
        setDown(isLost(error));
        if (!isLost(error)) {
          this.#complain(error);
          return;
        }
      }
    }
  }

  #setQueue(queue: readonly OutgoingMessage[]): void {
    this.#queue = queue;
    this.#parts.apply({ kind: 'queued', messages: queue.map(({ text }) => text) });
  }

  #complain(error: unknown): void {
    this.#parts.push({ kind: 'note', tone: 'warning', text: this.#parts.formatError(error) });
  }

  #note(text: string): void {
    this.#parts.push({ kind: 'note', text });
  }
}

/** Resolves after a time; false once the signal aborts. */
const isLater = (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false);
