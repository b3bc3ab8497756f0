import type { ApprovalService } from '../../approvals/approval-service.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import type { DaemonIdentity } from '../../daemon-identity.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import { type AgentRunStore, takenOver } from './agent-run-store.ts';
import { storedState } from './attempt.ts';
import type { MessageOptions, MessageRun } from './message-runs.ts';
import { answerOf } from './run-end.ts';
import { crashed, type TurnEnd } from './turn-end.ts';

export interface LeftTurnsDeps {
  database: Database;
  daemon: DaemonIdentity;
  conversations: ConversationService;
  store: ConversationStore;
  runs: AgentRunStore;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  runtime: Runtime;
}

/** Stores the answers of turns without their clients: of resumed ones, and of those that a crash left. */
export class LeftTurns {
  readonly #deps: LeftTurnsDeps;
  constructor(deps: LeftTurnsDeps) {
    this.#deps = deps;
  }

  /**
   * Stores how far a turn got, in the message of its answer and in its row; throws `wrong_state` where another daemon has
   * resumed it.
   */
  async store({ id, options, state, fence }: MessageRun & { fence: number }, end: TurnEnd): Promise<void> {
    const { database, store, runs, runtime } = this.#deps;
    const answer = answerOf(state, modelOf(options), end);
    const status = end.status === 'interrupted' ? 'cancelled' : end.status;
    const updated_at = runtime.now().toISOString();
    await database.write(async ({ db }) => {
      const change = { status, updated_at, state: JSON.stringify(state), partial: null };
      if (!(await runs.changeAt(db, { id, fence }, change))) throw takenOver();
      await store.changeMessage(db, options.messageId, answer);
    });
  }

  /**
   * Ends a turn that was under way when the daemon died: its answer is stored as interrupted, as far as it got. One that
   * had asked for an approval waits for the decision instead, unless that is final.
   */
  async settle(row: AgentRunRow, { isFinal = false } = {}): Promise<'over' | 'waiting'> {
    const { store, runs, conversations, approvals, approvalStore, database, daemon, runtime } = this.#deps;
    const state = storedState(row);
    const conversation = row.conversation_id === null ? undefined : await store.find(row.conversation_id);
    if (!state || !conversation) {
      await database.write(({ db }) => runs.remove(db, row.id));
      return 'over';
    }
    const options = JSON.parse(row.options) as MessageOptions;
    if (row.partial !== null) state.partial = row.partial;
    const now = runtime.now().toISOString();
    const asked = await approvalStore.listByRun(row.id);
    const isAsked = asked.some(({ status, expires_at }) => status === 'pending' && expires_at > now);
    const isWaiting = !isFinal && isAsked && state.messages.length > 0;
    const end: TurnEnd = isWaiting ? { status: 'waiting' } : crashed;
    const answer = {
      ...answerOf(state, modelOf(options), end),
      id: options.messageId,
      reply_to: options.userMessageId ?? null,
    };
    const owner = { userId: conversation.owner_id, role: 'user' } as const;
    await conversations.append(owner, conversation.id, answer, async (db) => {
      if (!isWaiting) return runs.remove(db, row.id);
      await runs.change(db, row.id, { status: 'waiting', daemon: daemon.id, fence: row.fence + 1 });
    });
    if (!isWaiting) await approvals.expireForRun(row.id);
    return isWaiting ? 'waiting' : 'over';
  }
}

const modelOf = ({ provider, model: modelId, contextWindow }: MessageOptions) => ({
  provider,
  modelId,
  contextWindow,
});
