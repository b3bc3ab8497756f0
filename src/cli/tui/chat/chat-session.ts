import type { Approval, DecideApproval } from '../../../contract/approvals.ts';
import { ApiError, type Client } from '../../../contract/client.ts';
import { beginConversation } from '../../commands/chat/choose-conversation.ts';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import { describeCompaction } from '../../output/describe-compaction.ts';
import type { Connection } from '../../connection/connection.ts';
import { compactConversation } from '../../commands/chat/compact-conversation.ts';
import type { ChatEvent } from './chat-state.ts';
import { ConversationFollow } from './conversation-follow.ts';
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
  readonly #follow: ConversationFollow;
  readonly #left = new AbortController();
  #conversationId: string | undefined;
  #cwd: string | undefined;
  #turn: Turn | undefined;
  #compacting: AbortController | undefined;
  #queue: readonly OutgoingMessage[] = [];
  #taskLeftBehind: string | undefined;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
    const { connection, now, push, apply, opened } = parts;
    this.#follow = new ConversationFollow({
      client: connection.client,
      now,
      push,
      apply,
      show: (answer) => apply(openedEvent(answer)),
      complain: (error) => this.#complain(error),
      onEnd: (end) => {
        if (!this.#turn && !this.#left.signal.aborted) void this.#goOn(end);
      },
    });
    this.#conversationId = opened?.conversation.id;
    this.#cwd = opened?.conversation.cwd;
  }

  get conversationId(): string | undefined {
    return this.#conversationId;
  }
  /** The task that continues after the chat was closed. */
  get taskLeftBehind(): string | undefined {
    return this.#taskLeftBehind;
  }
  /** Whether a turn of any client runs in the conversation, or it is compacted. */
  get isRunning(): boolean {
    return this.isBusy || this.#follow.isRunning;
  }

  /** Whether it does something of its own that would be lost in another conversation. */
  get isBusy(): boolean {
    return this.#turn !== undefined || this.#compacting !== undefined;
  }

  /** Begins to follow what happens in the conversation. */
  start(): void {
    const { opened } = this.#parts;
    if (opened) this.#follow.follow(opened.conversation.id, opened);
  }

  /** Sends a message now, or after the current turn. */
  submit(message: OutgoingMessage): void {
    if (this.isRunning) return this.#setQueue([...this.#queue, message]);
    void this.#work(message);
  }

  /** Sends the first message of the queue, which waits after a turn that failed; false where there is none. */
  sendQueued(): boolean {
    const [next, ...others] = this.#queue;
    if (next === undefined || this.isRunning) return false;
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
   * Interrupts what runs in the conversation, whichever client began it. Asked for again, it no longer waits until the
   * daemon has stopped its own turn.
   */
  async cancel(): Promise<void> {
    if (this.#compacting) return this.#compacting.abort();
    const turn = this.#turn;
    if (turn) {
      const isAgain = turn.isCancelled;
      turn.isCancelled = true;
      // A message that has not begun is dropped with its reader, unless it is a task: that is stopped once it has.
      if (isAgain || turn.isReconnecting || (!turn.isBegun && !turn.isAgentic))
        return turn.controller.abort();
      if (!turn.isBegun) return;
    }
    await this.#stop();
  }

  /** Lets the model sum up the conversation now. */
  async compact(keep: string): Promise<void> {
    const { connection, settings, apply } = this.#parts;
    const id = this.#conversationId;
    if (id === undefined) return this.#note('The conversation has not begun.');
    if (this.isRunning) return this.#note('Still responding. Press Esc to interrupt it, then compact.');
    const controller = new AbortController();
    this.#compacting = controller;
    this.#follow.beginOwn();
    apply({ kind: 'compacting', isOn: true });
    try {
      const order = { id, keep, settings: settings() };
      const { compaction, runId } = await compactConversation(connection.client, order, controller.signal);
      this.#follow.addOwn(runId);
      this.#note(describeCompaction(compaction));
    } catch (error) {
      if (controller.signal.aborted) this.#note('Interrupted. Nothing was compacted.');
      else this.#complain(error);
    } finally {
      this.#compacting = undefined;
      apply({ kind: 'compacting', isOn: false });
      this.#follow.endOwn({ isOpen: false });
    }
    void this.#goOn('done');
  }

  /** Leaves; a turn that is no task ends with its reader. */
  leave(): void {
    this.#taskLeftBehind = this.#turn?.taskId;
    this.#left.abort();
    this.#turn?.controller.abort();
    this.#compacting?.abort();
    this.#follow.leave();
  }

  async decide(approval: Approval, decision: DecideApproval): Promise<void> {
    const { connection, apply } = this.#parts;
    const { id, conversationId } = approval;
    const isElsewhere = conversationId !== this.#conversationId;
    apply({ kind: 'decided', id });
    try {
      const decided = await connection.decide(id, decision);
      for (const also of decided.alsoAllowed ?? []) apply({ kind: 'decided', id: also });
      if (isElsewhere) this.#note('Decided. The answer continues in its conversation: /resume');
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 400;
      const isUnsigned = error instanceof ApiError && error.status === 403;
      // The call still waits if its changed arguments were refused, or if it needs a signature.
      if (isUnsigned || (isRefused && decision.arguments)) {
        apply({ kind: 'asked', approvals: [approval] });
        this.#complain(error);
      } else if (isRefused) this.#note('This was already decided, or it expired.');
      else this.#complain(error);
    }
  }

  /** Shows a conversation from its id or the beginning of it. */
  async open(text: string): Promise<void> {
    const answer = await this.fetch((client) => findAndLoad(client, text));
    if (!answer) return;
    this.#show(answer);
    this.#follow.follow(answer.conversation.id, answer);
    const { cwd } = answer.conversation;
    if (cwd !== undefined && cwd !== this.#parts.folder) this.#note(`This conversation works in ${cwd}.`);
  }

  /** The next message begins a conversation. */
  startNew(): void {
    this.#conversationId = undefined;
    this.#follow.leave();
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
    const end = await this.#take(first);
    if (this.#left.signal.aborted) return;
    if (end === 'unsent') this.#setQueue([first, ...this.#queue]);
    await this.#goOn(end);
  }

  /** Sends the next message of the queue after a turn that did not fail. */
  async #goOn(end: TurnEnd): Promise<void> {
    const [next, ...others] = this.#queue;
    if (!next) return;
    // The end of the turn that the daemon continues sends it.
    if (end === 'open') return;
    if (end !== 'done' && end !== 'interrupted')
      return this.#note('Queued messages wait. Press Enter in the empty box to send the next one.');
    if (this.isRunning) return;
    this.#setQueue(others);
    await this.#work(next);
  }

  async #take({ content }: OutgoingMessage): Promise<TurnEnd> {
    const { connection, folder, apply, push, now, settings } = this.#parts;
    const turn: Turn = {
      controller: new AbortController(),
      isAgentic: settings().isAgentic,
      isBegun: false,
      isCancelled: false,
      isReconnecting: false,
    };
    this.#turn = turn;
    this.#follow.beginOwn();
    let end: TurnEnd | undefined;
    apply({ kind: 'sent', text: content, at: now() });
    try {
      return (end = await runTurn(turn, {
        client: connection.client,
        content,
        settings: settings(),
        conversationId: () => this.#conversationId,
        begin: () => this.#begin(),
        show: (answer) => this.#show(answer),
        apply,
        push,
        now,
        complain: (error) => this.#complain(error),
        directory: () => (this.#cwd === folder ? undefined : this.#cwd),
        stop: () => void this.#stop(),
        note: (event) => this.#follow.noteOwn(event),
      }));
    } finally {
      this.#turn = undefined;
      apply({ kind: 'ended', at: now() });
      this.#follow.endOwn({ isOpen: end === 'open' || turn.wasReadAgain === true });
    }
  }

  async #stop(): Promise<void> {
    const id = this.#conversationId;
    if (id !== undefined) await this.fetch((client) => client.conversations.stopTurn({ params: { id } }));
  }

  async #begin(): Promise<string> {
    const { connection, folder, push, settings } = this.#parts;
    const conversation = await beginConversation(connection, folder, settings().agent);
    this.#conversationId = conversation.id;
    this.#cwd = conversation.cwd;
    this.#follow.follow(conversation.id);
    this.#follow.beginOwn();
    push({ kind: 'began', conversation });
    return conversation.id;
  }

  #show(answer: ConversationAnswer): void {
    this.#conversationId = answer.conversation.id;
    this.#cwd = answer.conversation.cwd;
    this.#parts.apply(openedEvent(answer));
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
