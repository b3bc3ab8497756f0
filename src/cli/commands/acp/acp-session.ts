import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  methods,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Approval } from '../../../contract/approvals.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { describeCompaction } from '../../output/describe-compaction.ts';
import { compactConversation } from '../chat/compact-conversation.ts';
import type { AcpDeps } from './acp-deps.ts';
import { promptText } from './prompt-content.ts';
import { PromptTurn } from './prompt-turn.ts';
import { ReopenedTurn } from './reopened-turn.ts';
import { parseMode } from './session-modes.ts';

export interface AcpSessionDeps extends AcpDeps {
  /** The id of the conversation. */
  id: string;
  /** Where its tools work, if that is known. */
  cwd: string | undefined;
  client: AgentContext;
  capabilities: ClientCapabilities;
}

const compactCommand = {
  name: 'compact',
  description: 'Summarize the conversation to free the context window',
  input: { hint: 'what the summary has to keep' },
};

/** One session of an editor: a conversation of the daemon, with one turn at a time. */
export class AcpSession {
  readonly #deps: AcpSessionDeps;
  #mode: SecurityMode | undefined;
  #turn: { cancel(): Promise<void>; leave(): void; done: Promise<unknown> } | undefined;
  /** A turn that waited for a decision when the session was opened. */
  #reopened: ReopenedTurn | undefined;
  /** What the editor has to show before the next turn; the session is unknown to it until then. */
  #notes: string[] = [];
  #isAnnounced = false;
  /** Whether the editor is gone. */
  #isLeft = false;

  constructor(deps: AcpSessionDeps) {
    this.#deps = deps;
    this.#mode = deps.mode;
  }

  get id(): string {
    return this.#deps.id;
  }
  /** The security mode of the next turns; undefined is that of the policy. */
  get mode(): SecurityMode | undefined {
    return this.#mode;
  }

  setMode(id: string): void {
    this.#mode = parseMode(id);
  }

  /** Shows something to the person with the next turn. */
  note(text: string): void {
    this.#deps.log(text);
    this.#notes.push(text);
  }

  /** Sends an update of the session to the editor. */
  send(update: SessionUpdate): Promise<void> {
    return this.#deps.client.notify(methods.client.session.update, { sessionId: this.id, update });
  }

  /** Sends a message and resolves with how its turn ended; only one runs at a time. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#turn) throw new RequestError(-32600, 'This session still responds. Cancel that first.');
    const text = promptText(blocks, this.#deps.cwd);
    this.#leaveReopened();
    const keep = /^\/compact(?:\s+([^]*))?$/.exec(text);
    const turn = keep ? this.#compacting(keep[1] ?? '') : this.#prompting(text);
    this.#turn = turn;
    // It also aborts when the connection closes, and then the turn may keep waiting.
    const cancel = () => void (signal.reason instanceof RequestError ? turn.cancel() : turn.leave());
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return { stopReason: await turn.done };
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#turn = undefined;
    }
  }

  /** Asks about the calls that a turn of before waits with, and shows how it continues; does not wait for that. */
  reopen(pending: readonly Approval[]): void {
    const turn = new ReopenedTurn({
      ...this.#deps,
      send: (update) => this.send(update),
      tell: (note) => this.#tell(note),
    });
    this.#reopened = turn;
    const run = async () => {
      await this.#announce();
      await turn.run(pending);
      if (this.#reopened !== turn) return;
      this.#reopened = undefined;
      await this.#report(this.#deps.connection);
    };
    // The answer to the request that opens the session goes first.
    setImmediate(() => {
      run().catch((error: unknown) => this.#deps.log(this.#deps.formatError(error)));
    });
  }

  /** Another session takes the place of this one: its turn ends, and a turn that was reopened keeps waiting. */
  async replace(): Promise<void> {
    this.#leaveReopened();
    await this.cancel();
  }

  /** Stops the turn; resolves once it has ended. */
  async cancel(): Promise<void> {
    const reopened = this.#reopened;
    this.#reopened = undefined;
    await reopened?.cancel();
    const turn = this.#turn;
    await turn?.cancel();
    await turn?.done.catch(() => undefined);
  }

  /** The editor is gone. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    this.#leaveReopened();
    const turn = this.#turn;
    turn?.leave();
    await turn?.done.catch(() => undefined);
  }

  #leaveReopened(): void {
    this.#reopened?.leave();
    this.#reopened = undefined;
  }

  #prompting(text: string) {
    const { connection, settings } = this.#deps;
    const turn = new PromptTurn({
      ...this.#deps,
      settings: { ...settings, mode: this.#mode },
      send: (update) => this.send(update),
      tell: (note) => this.#tell(note),
    });
    const run = async () => {
      await this.#announce();
      const stopReason = await turn.run(text);
      await this.#report(connection);
      return stopReason;
    };
    return { cancel: () => turn.cancel(), leave: () => turn.leave(), done: run() };
  }

  #compacting(keep: string) {
    const { connection, settings } = this.#deps;
    const stopping = new AbortController();
    const leave = () => stopping.abort();
    const run = async (): Promise<'end_turn' | 'cancelled'> => {
      await this.#announce();
      try {
        const order = { id: this.id, keep, settings };
        const { compaction } = await compactConversation(connection.client, order, stopping.signal);
        await this.#say(describeCompaction(compaction));
      } catch (error) {
        if (stopping.signal.aborted) return 'cancelled';
        throw error;
      }
      await this.#report(connection);
      return 'end_turn';
    };
    return { cancel: async () => leave(), leave, done: run() };
  }

  /** Before the first turn: what the editor can only show of a session that it knows. */
  async #announce(): Promise<void> {
    for (const note of this.#notes.splice(0)) await this.#tell(note);
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    await this.send({ sessionUpdate: 'available_commands_update', availableCommands: [compactCommand] });
  }

  /** Title, tokens and cost, as they are after a turn; a failure leaves them out. */
  async #report({ client }: AcpDeps['connection']): Promise<void> {
    if (this.#isLeft) return;
    try {
      const { conversation } = await client.conversations.get({ params: { id: this.id } });
      const { title, updatedAt, usage } = conversation;
      await this.send({ sessionUpdate: 'session_info_update', title, updatedAt });
      const { promptTokens: used, window: size } = usage?.context ?? {};
      if (used === undefined || size === undefined) return;
      const cost = usage?.costUsd === undefined ? {} : { cost: { amount: usage.costUsd, currency: 'USD' } };
      await this.send({ sessionUpdate: 'usage_update', used, size, ...cost });
    } catch (error) {
      this.#deps.log(this.#deps.formatError(error));
    }
  }

  /** A note beside the conversation, where the editor has a place for it; else a text of its own. */
  #tell(title: string): Promise<void> {
    if (this.#deps.capabilities.session?.notices)
      return this.send({ sessionUpdate: 'notice', severity: 'info', title });
    return this.#say(`_${title}_\n\n`);
  }

  #say(text: string): Promise<void> {
    return this.send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }
}
