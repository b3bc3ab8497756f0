import {
  type AgentContext,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { RunEvent } from '../../../contract/run-events.ts';
import type { ChatSettings } from '../chat/chat-settings.ts';
import { runFailure } from '../chat/run-failure.ts';
import { sendMessage } from '../chat/send-message.ts';
import { isLost } from '../../tui/chat/connection-lost.ts';
import type { AcpDeps } from './acp-deps.ts';
import { PermissionRequests } from './permission-requests.ts';
import { RunUpdates } from './run-updates.ts';

interface TurnDeps extends Pick<AcpDeps, 'connection' | 'formatError' | 'log'> {
  id: string;
  cwd: string | undefined;
  client: AgentContext;
  settings: ChatSettings;
  send: (update: SessionUpdate) => Promise<void>;
  /** Shows a note to the person. */
  tell: (note: string) => Promise<void>;
}

/** Codes of a turn that was stopped: by this editor or another client, or by a newer message. */
const stopped = new Set(['CANCELLED', 'OVERTAKEN']);

/** One message of an editor and everything until its answer. */
export class PromptTurn {
  readonly #deps: TurnDeps;
  readonly #stream = new AbortController();
  readonly #updates: RunUpdates;
  readonly #permissions: PermissionRequests;
  #isBegun = false;
  #isCancelled = false;
  #finishReason: string | undefined;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
    this.#updates = new RunUpdates(deps.cwd);
    this.#permissions = new PermissionRequests({
      ...deps,
      describe: (toolCallId, approval) => this.#updates.describe(toolCallId, approval),
      cancel: () => this.cancel(),
    });
  }

  /** Resolves with why the turn ended; rejects where it failed, with what to do about it. */
  async run(text: string): Promise<StopReason> {
    const { connection, id, settings } = this.#deps;
    try {
      for await (const event of sendMessage(connection.client, id, text, settings, this.#stream.signal)) {
        // It was cancelled before there was anything to stop.
        if (this.#isCancelled && !this.#isBegun) void this.#stop();
        this.#isBegun = true;
        const end = await this.#take(event);
        if (end) return end;
      }
    } catch (error) {
      if (this.#isCancelled) return 'cancelled';
      if (!(error instanceof RequestError) && isLost(error))
        throw connectionLost(this.#deps.formatError(error));
      throw error;
    } finally {
      await this.#permissions.end();
    }
    if (this.#isCancelled) return 'cancelled';
    if (this.#finishReason === undefined) throw connectionLost();
    return stopReasons[this.#finishReason] ?? 'end_turn';
  }

  /** Stops the turn, also one that waits for an approval. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    this.#permissions.withdraw();
    if (this.#isBegun) await this.#stop();
    else this.#stream.abort();
  }

  /** No longer reads the turn, which ends with its reader unless it waits for an approval. */
  leave(): void {
    this.#isCancelled = true;
    this.#permissions.withdraw();
    this.#stream.abort();
  }

  async #stop(): Promise<void> {
    const { connection, id, formatError, log } = this.#deps;
    try {
      await connection.client.conversations.stopTurn({ params: { id } });
    } catch (error) {
      log(formatError(error));
      this.#stream.abort();
    }
  }

  async #take(event: RunEvent): Promise<StopReason | undefined> {
    const { send, tell } = this.#deps;
    for (const update of this.#updates.of(event)) await send(update);
    const { type, data } = event;
    if (type === 'note') await tell(data.message);
    if (type === 'approval:requested') this.#permissions.ask(data.toolCallId, data.approval);
    if (type === 'approval:decided') this.#permissions.decided(data.approval);
    if (type === 'step:complete') this.#finishReason = data.finishReason;
    if (type === 'complete') this.#finishReason = data.finishReason ?? this.#finishReason ?? 'stop';
    if (type === 'error') return this.#end(data);
    return undefined;
  }

  #end(failure: Extract<RunEvent, { type: 'error' }>['data']): StopReason {
    const { code } = failure;
    if (this.#isCancelled || stopped.has(code)) return 'cancelled';
    if (code === 'CONTENT_FILTER') return 'refusal';
    if (code === 'STOPPED') throw connectionLost('The daemon stopped.');
    throw new RequestError(-32603, this.#deps.formatError(runFailure(failure)), { code });
  }
}

/** How the last step of a turn ended, in words of the protocol. */
const stopReasons: Record<string, StopReason> = {
  length: 'max_tokens',
  content_filter: 'refusal',
  max_round_trips: 'max_turn_requests',
};

const connectionLost = (reason = 'The connection to the daemon was lost.') =>
  new RequestError(
    -32603,
    `${reason} The answer is not complete. Send "continue" once the daemon runs again.`,
    { code: 'STOPPED' },
  );
