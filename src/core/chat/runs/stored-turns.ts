import type { ToolExchange } from '../../../contract/conversations.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { MessageRow } from '../../storage/rows/conversations.ts';
import type { DaemonIdentity } from '../../daemon-identity.ts';
import type { Database } from '../../storage/database.ts';
import { toMessage } from '../conversation-mapping.ts';
import type { AcceptedMessage, ConversationService } from '../conversation-service.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { MessageRun } from './message-runs.ts';
import { type RunSavers, runSavers } from './run-savers.ts';
import { refusedCallsOf } from './refused-calls.ts';
import { type AnsweringModel, answerOf } from './run-end.ts';
import type { LoopEnd } from './run-policy.ts';
import { type RunState, usageOf } from './run-state.ts';
import type { TurnEnd } from './turn-end.ts';

export interface StoredTurnsDeps {
  database: Database;
  runs: AgentRunStore;
  conversations: ConversationService;
  daemon: DaemonIdentity;
  runtime: Runtime;
  log: Log;
}

/** Stores the turns of messages with tools while their clients wait. */
export class StoredTurns {
  readonly #deps: StoredTurnsDeps;
  constructor(deps: StoredTurnsDeps) {
    this.#deps = deps;
  }

  /** Stores that the run is under way, so that a crash leaves a trace of it. */
  async begin({ id, conversation, options, state }: MessageRun): Promise<void> {
    const { database, runs, runtime, daemon } = this.#deps;
    const now = runtime.now().toISOString();
    const row: AgentRunRow = {
      id,
      kind: 'message',
      status: 'attached',
      owner_id: conversation.owner_id,
      conversation_id: conversation.id,
      task_id: null,
      options: JSON.stringify(options),
      state: JSON.stringify(savedState(state)),
      partial: null,
      daemon: daemon.id,
      fence: 0,
      created_at: now,
      updated_at: now,
    };
    await database.write(({ db }) => runs.insert(db, row));
  }

  savers(runId: string): RunSavers {
    return runSavers(this.#deps, runId, { storedOf: savedState, fence: 0 });
  }

  /** Stores both in one transaction, so that a resumed run always has a message for its answer. */
  answer(
    caller: Caller,
    { id, conversation, options, state }: MessageRun,
    model: AnsweringModel,
    end: TurnEnd,
  ): Promise<MessageRow> {
    const { conversations, runs } = this.#deps;
    const answer = {
      ...answerOf(state, model, end),
      id: options.messageId,
      reply_to: options.userMessageId ?? null,
    };
    return conversations.append(caller, conversation.id, answer, async (db) => {
      if (end.status !== 'waiting') return runs.remove(db, id);
      const change = { status: 'waiting', state: JSON.stringify(state), partial: null };
      await db.updateTable('agent_runs').set(change).where('id', '=', id).execute();
    });
  }
}

/**
 * What a turn saves while its client waits: after a crash it is stored as far as it got, for which its prompt is needed
 * only when it has asked for an approval. A long conversation is not written again after each call.
 */
const savedState = (state: RunState): RunState =>
  state.open.some(({ approvalId }) => approvalId !== undefined) ? state : { ...state, messages: [] };

/** What a client that does not read the stream gets. */
export const toExchange = (
  { message, compaction }: Pick<AcceptedMessage, 'message' | 'compaction'>,
  answer: MessageRow,
  { state, options }: MessageRun,
  end: LoopEnd,
  refusedCalls = refusedCallsOf(state),
): ToolExchange => ({
  userMessage: toMessage(message),
  assistantMessage: toMessage(answer),
  usage: usageOf(state),
  ...(compaction && { compaction }),
  toolCalls: state.calls,
  pendingApprovals: end.kind === 'waiting' ? end.approvals : [],
  securityMode: options.mode,
  finishReason: state.finishReason,
  ...(refusedCalls && { refusedCalls }),
});
