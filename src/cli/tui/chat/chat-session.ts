import type { Approval, ApprovalDecision, ApprovalCoverage } from '../../../contract/approvals.ts';
import { ApiError } from '../../../contract/client.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { beginConversation } from '../../commands/chat/choose-conversation.ts';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import { runFailure } from '../../commands/chat/run-failure.ts';
import { sendMessage } from '../../commands/chat/send-message.ts';
import type { Connection } from '../../connection/connection.ts';
import type { ChatEvent } from './chat-state.ts';
import { loadConversation } from './load-chat.ts';

export interface ChatSessionParts {
  connection: Connection;
  /** The conversation to continue; otherwise the first message creates one. */
  conversationId?: string | undefined;
  /** Where the tools of new conversations work. */
  folder: string;
  /** A failure in one line with what to do next. */
  formatError: (error: unknown) => string;
  /** Epoch milliseconds. */
  now: () => number;
  /** Takes an event that may wait for a moment. */
  push: (event: ChatEvent) => void;
  /** Takes an event that should be seen at once. */
  apply: (event: ChatEvent) => void;
}

interface Running {
  controller: AbortController;
  isAgentic: boolean;
  taskId?: string;
  isCancelled: boolean;
}

/** Connects the chat to the daemon; every outcome is an event, and nothing is thrown. */
export class ChatSession {
  readonly #parts: ChatSessionParts;
  #conversationId: string | undefined;
  #running: Running | undefined;
  #taskLeftBehind: string | undefined;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
    this.#conversationId = parts.conversationId;
  }

  get conversationId(): string | undefined {
    return this.#conversationId;
  }
  /** The task that continues after the chat was closed. */
  get taskLeftBehind(): string | undefined {
    return this.#taskLeftBehind;
  }
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  async send(text: string, settings: ChatSettings): Promise<void> {
    if (this.#running) return;
    const { connection, push, apply, now } = this.#parts;
    const running: Running = {
      controller: new AbortController(),
      isAgentic: settings.isAgentic,
      isCancelled: false,
    };
    this.#running = running;
    apply({ kind: 'sent', text, at: now() });
    try {
      const id = this.#conversationId ?? (await this.#begin());
      let isOver = false;
      for await (const event of sendMessage(
        connection.client,
        id,
        text,
        settings,
        running.controller.signal,
      )) {
        push({ kind: 'run', event });
        this.#watch(running, event);
        isOver ||= event.type === 'complete' || event.type === 'error';
      }
      if (!isOver) this.#sayBroken(running);
    } catch (error) {
      if (running.isCancelled) this.#note('Stopped.');
      else if (isBroken(error)) this.#sayBroken(running);
      else this.#complain(error);
    } finally {
      this.#running = undefined;
      apply({ kind: 'ended', at: now() });
    }
  }

  /** Stops the run; asked for again, it no longer waits until the daemon has stopped it. */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const isAgain = running.isCancelled;
    running.isCancelled = true;
    if (!running.isAgentic || isAgain) return running.controller.abort();
    if (running.taskId !== undefined) await this.#cancelTask(running.taskId);
  }

  /** Leaves; a run that is no task ends with its reader. */
  leave(): void {
    this.#taskLeftBehind = this.#running?.taskId;
    this.#running?.controller.abort();
  }

  async decide({ id }: Approval, decision: ApprovalDecision, covers?: ApprovalCoverage): Promise<void> {
    const { connection, apply } = this.#parts;
    const isOfRun = this.#running !== undefined;
    apply({ kind: 'decided', id });
    try {
      await connection.client.approvals.decide({
        params: { id },
        body: { decision, ...(covers && { covers }) },
      });
      if (!isOfRun) this.#note('Decided. The answer continues in its conversation: /conversations');
    } catch (error) {
      if (error instanceof ApiError && error.status === 400)
        this.#note('This was already decided, or it expired.');
      else this.#complain(error);
    }
  }

  /** Shows a conversation from its id or the beginning of it. */
  async open(text: string): Promise<void> {
    const opened = await this.fetch((client) => loadConversation(client, text));
    if (!opened) return;
    this.#conversationId = opened.conversation?.id;
    this.#parts.apply(opened);
  }

  /** The next message begins a conversation. */
  startNew(): void {
    this.#conversationId = undefined;
    this.#parts.apply({ kind: 'opened', conversation: undefined, entries: [], approvals: [] });
  }

  /** Asks about everything that waits for a decision, in other conversations too. */
  async showApprovals(): Promise<void> {
    const { connection, apply } = this.#parts;
    await this.#reportErrors(async () => {
      const { approvals } = await connection.client.approvals.list();
      if (approvals.length === 0) this.#note('No pending approvals.');
      else apply({ kind: 'asked', approvals });
    });
  }

  /** Fetches something; a failure is shown, and the result is undefined. */
  async fetch<T>(ask: (client: Connection['client']) => Promise<T>): Promise<T | undefined> {
    return this.#reportErrors(() => ask(this.#parts.connection.client));
  }

  async #begin(): Promise<string> {
    const { connection, folder, push } = this.#parts;
    const conversation = await beginConversation(connection, folder);
    this.#conversationId = conversation.id;
    push({ kind: 'began', conversation });
    return conversation.id;
  }

  #watch(running: Running, { type, data }: RunEvent): void {
    if (type === 'error') return this.#complain(running.isCancelled ? undefined : runFailure(data));
    if ((type !== 'user_message' && type !== 'session:start') || data.taskId === undefined) return;
    const isNew = running.taskId === undefined;
    running.taskId = data.taskId;
    // It was cancelled before it was known what to cancel.
    if (isNew && running.isCancelled) void this.#cancelTask(data.taskId);
  }

  async #cancelTask(id: string): Promise<void> {
    await this.#reportErrors(() => this.#parts.connection.client.tasks.cancel({ params: { id } }));
  }

  #sayBroken({ taskId, isCancelled }: Running): void {
    if (isCancelled) return this.#note('Stopped.');
    const next =
      taskId === undefined ? 'See: svc daemon status' : `It may still be running: svc tasks show ${taskId}`;
    this.#parts.push({
      kind: 'note',
      tone: 'warning',
      text: `The connection was lost before the answer was complete. ${next}`,
    });
  }

  async #reportErrors<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      this.#complain(error);
      return undefined;
    }
  }

  /** Without an error, the user stopped it. */
  #complain(error: unknown): void {
    if (error === undefined) return this.#note('Stopped.');
    this.#parts.push({ kind: 'note', tone: 'warning', text: this.#parts.formatError(error) });
  }

  #note(text: string): void {
    this.#parts.push({ kind: 'note', text });
  }
}

/** Whether the connection was lost. */
const isBroken = (error: unknown) =>
  error instanceof Error && !(error instanceof ApiError) && 'code' in error;
