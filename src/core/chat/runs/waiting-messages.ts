import { type ApprovalService, toApproval } from '../../approvals/approval-service.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow } from '../../storage/rows/conversations.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import { type ConversationService, usageColumns } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import { type PreparedRun, storedState } from './attempt.ts';
import type { MessageOptions, MessageRun, MessageRuns } from './message-runs.ts';
import { RunFailure } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunOutcome } from './run-policy.ts';
import type { RunService } from './run-service.ts';
import { type RunState, usageOf } from './run-state.ts';

export interface WaitingMessagesDeps {
  database: Database;
  bus: EventBus;
  conversations: ConversationService;
  store: ConversationStore;
  runs: AgentRunStore;
  providers: Pick<ModelProviders, 'resolve'>;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  feeds: RunFeeds;
  runService: RunService;
  messageRuns: MessageRuns;
  /** The directory in which the tools of a conversation work: absolute, without links. */
  workspace: (conversation: Pick<ConversationRow, 'id' | 'cwd'>) => Promise<string>;
  runtime: Runtime;
  log: Log;
}

/** Resumes messages with tools once their approvals are decided, after a restart too. */
export class WaitingMessages {
  readonly #deps: WaitingMessagesDeps;
  readonly #stopping = new AbortController();
  #unsubscribe: (() => void) | undefined;
  constructor(deps: WaitingMessagesDeps) {
    this.#deps = deps;
  }

  /** Starts to resume messages when their approvals are decided. */
  listen(): void {
    this.#unsubscribe = this.#deps.bus.on('approval', ({ row }) => {
      if (row.status !== 'pending') this.resume(row.run_id);
    });
  }

  /** Resumes the messages of an earlier process. */
  async start(): Promise<void> {
    for (const run of await this.#deps.runs.openMessages()) this.resume(run.id);
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#stopping.abort(new AppError('unavailable', 'The daemon is stopping'));
  }

  /** Resumes the run in its turn, unless one of its approvals is pending. */
  resume(runId: string): void {
    this.#inTurn(runId).catch((error: unknown) =>
      this.#deps.log.warn({ runId, reason: messageOf(error) }, 'a message could not be resumed'),
    );
  }

  async #inTurn(runId: string): Promise<void> {
    const { runs, conversations, approvalStore } = this.#deps;
    const known = await runs.find(runId);
    if (!known || known.kind !== 'message' || known.conversation_id === null) return;
    await conversations.inTurn(known.conversation_id, async () => {
      const requested = await approvalStore.listByRun(runId);
      const row = await runs.find(runId);
      if (!row || this.#stopping.signal.aborted || requested.some(({ status }) => status === 'pending'))
        return;
      // A run that was interrupted by the end of the daemon is resumed from its state.
      if (row.status !== 'waiting' && row.status !== 'running') return;
      await runs.save(runId, { status: 'running' });
      await this.#continue(row);
    });
  }

  async #continue(row: AgentRunRow): Promise<void> {
    const { store, feeds } = this.#deps;
    const conversation = row.conversation_id === null ? undefined : await store.find(row.conversation_id);
    const state = storedState(row);
    if (!conversation || !state) return;
    const options = JSON.parse(row.options) as MessageOptions;
    await this.#emitDecisions(row.id);
    const outcome = await this.#resumeRun({ id: row.id, conversation, options, state });
    if (outcome.kind === 'waiting') this.resume(row.id);
    else if (outcome.kind === 'done') feeds.close(row.id);
  }

  async #resumeRun(run: MessageRun): Promise<RunOutcome> {
    const { runs, providers, messageRuns, runService } = this.#deps;
    const { provider, model: modelId } = run.options;
    const store = {
      save: (state: RunState) => runs.save(run.id, { state: JSON.stringify(state) }),
      keep: (outcome: RunOutcome) => this.#settle(run, outcome),
    };
    let prepared: PreparedRun;
    try {
      const model = await providers.resolve({ provider, model: modelId });
      const workspace = await this.#deps.workspace(run.conversation);
      const { signal } = this.#stopping;
      prepared = await messageRuns.prepare(run, { model, workspace, signal, isAnnounced: true, store });
    } catch (error) {
      const outcome = { kind: 'failed', error } as const;
      await store.keep(outcome);
      return outcome;
    }
    return runService.run(prepared.plan, prepared.policy);
  }

  /** Stores the outcome of a resumed run in its message. */
  async #settle(run: MessageRun, outcome: RunOutcome): Promise<string | undefined> {
    const { store, database, messageRuns, runtime } = this.#deps;
    const { id, options, state } = run;
    let content = state.text;
    if (outcome.kind === 'failed') {
      // The next start resumes it.
      if (this.#stopping.signal.aborted) return undefined;
      // Before the write, so that the client gets the error even when it cannot be stored.
      messageRuns.fail(id, outcome.error);
      content = `${state.text}\n\n(Interrupted: ${messageOf(outcome.error)})`.trim();
    }
    const status = outcome.kind === 'done' ? 'completed' : outcome.kind;
    const updated_at = runtime.now().toISOString();
    await database.write(async ({ db }) => {
      await store.changeMessage(db, options.messageId, {
        tool_calls: state.calls.length > 0 ? JSON.stringify(state.calls) : null,
        ...usageColumns(usageOf(state)),
        content,
      });
      await db
        .updateTable('agent_runs')
        .set({ status, updated_at, state: JSON.stringify(state) })
        .where('id', '=', id)
        .execute();
    });
    return options.messageId;
  }

  async #emitDecisions(runId: string): Promise<void> {
    const { approvalStore, feeds } = this.#deps;
    for (const approval of await approvalStore.listByRun(runId)) {
      const data = { toolCallId: approval.call_id, approval: toApproval(approval) };
      if (approval.used_at === null) feeds.emit(runId, { type: 'approval:decided', data });
    }
  }

  /** Cancels the waiting messages of a conversation when a new message arrives. */
  async drop(conversationId: string): Promise<void> {
    const { runs, approvals, messageRuns, runtime } = this.#deps;
    for (const { id } of await runs.openMessages(conversationId)) {
      await runs.save(id, { status: 'cancelled', updated_at: runtime.now().toISOString() });
      await approvals.expireForRun(id);
      messageRuns.fail(
        id,
        new RunFailure('cancelled', 'OVERTAKEN', 'A new message came before the decision'),
      );
    }
  }
}
