import type { ModelMessage } from 'ai';
import type { SendWithTools, ToolExchange } from '../../../contract/conversations.ts';
import { type ApprovalService, toApproval } from '../../approvals/approval-service.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import { type Caller, isAdmin, mayRunCommands } from '../../auth/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor } from '../../policy/security-modes.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow, MessageRow } from '../../storage/chat-rows.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/tool-rows.ts';
import { toMessage } from '../conversation-mapping.ts';
import { type AcceptedMessage, type ConversationService, usageColumns } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import { type PreparedRun, storedState } from './attempt.ts';
import type { MessageOptions, MessageRun, MessageRuns } from './message-runs.ts';
import { answerOf } from './run-end.ts';
import { RunFailure, toEdgeError, toErrorEvent, toRunFailure } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunOutcome } from './run-policy.ts';
import type { RunService } from './run-service.ts';
import { userMessageEvent } from './run-start.ts';
import { newRunState, type RunState, usageOf } from './run-state.ts';
import type { LoopEnd } from './tool-loop.ts';
import { instructionsOf } from './work-instructions.ts';

export interface ToolMessageDeps {
  database: Database;
  bus: EventBus;
  conversations: ConversationService;
  store: ConversationStore;
  runs: AgentRunStore;
  providers: Pick<ModelProviders, 'resolve'>;
  policy: PolicyService;
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

/** Messages to which a model answers with the help of tools; one that waits for approvals is resumed after a restart. */
export class ToolMessageService {
  readonly #deps: ToolMessageDeps;
  readonly #stopping = new AbortController();
  #unsubscribe: (() => void) | undefined;
  constructor(deps: ToolMessageDeps) {
    this.#deps = deps;
  }

  /** Resumes messages from now on once their approvals are decided. */
  listen(): void {
    this.#unsubscribe = this.#deps.bus.on('approval', ({ row }) => {
      if (row.status !== 'pending') this.#resumeLater(row.run_id);
    });
  }

  /** Resumes what an earlier process left. */
  async start(): Promise<void> {
    for (const run of await this.#deps.runs.openMessages()) this.#resumeLater(run.id);
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#stopping.abort(new AppError('unavailable', 'svc stops'));
  }

  /** Answers when the model has, or when its calls wait for a person. */
  async send(caller: Caller, id: string, input: SendWithTools, signal: AbortSignal): Promise<ToolExchange> {
    const { conversations, runtime } = this.#deps;
    await conversations.find(caller, id);
    const runId = runtime.newId('run');
    try {
      return await conversations.inTurn(id, () =>
        this.#begin(caller, id, input, { runId, signal, isStreamed: false }),
      );
    } catch (error) {
      throw toEdgeError(error);
    }
  }

  /** Streams what happens, over approvals too. Throws what is wrong from the start. */
  async stream(caller: Caller, id: string, input: SendWithTools, signal: AbortSignal) {
    const { conversations, providers, feeds, runtime } = this.#deps;
    await conversations.find(caller, id);
    await providers.resolve(input);
    const runId = runtime.newId('run');
    const events = feeds.open(runId, signal);
    conversations
      .inTurn(id, () => this.#begin(caller, id, input, { runId, signal, isStreamed: true }))
      .catch((error: unknown) => this.#fail(runId, error));
    return events;
  }

  async #begin(
    caller: Caller,
    id: string,
    input: SendWithTools,
    { runId, signal, isStreamed }: { runId: string; signal: AbortSignal; isStreamed: boolean },
  ): Promise<ToolExchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { conversations, providers, policy, runtime, feeds, runService, messageRuns } = this.#deps;
    await this.#dropWaiting(id);
    const model = await providers.resolve(input);
    const mode = modeFor(policy.policy.defaultMode, input.securityMode, isAdmin(caller));
    const workspace = await this.#deps.workspace(await conversations.find(caller, id));
    const { content, enableTools } = input;
    const accepted = await conversations.accept(caller, id, content, { model, signal });
    feeds.emit(runId, userMessageEvent(accepted));
    const { conversation, prompt } = accepted;
    const work = enableTools ? { workspace, mode, today: runtime.now() } : undefined;
    const options: MessageOptions = {
      content,
      instructions: instructionsOf(prompt.instructions, work),
      mode,
      provider: model.provider,
      model: model.modelId,
      isStreamed,
      enableTools,
      messageId: runtime.newId('msg'),
      mayRunCommands: mayRunCommands(caller),
    };
    const state = newRunState(
      prompt.turns.map(({ role, content: text }): ModelMessage => ({ role, content: text })),
    );
    const run: MessageRun = { id: runId, conversation, options, state };
    const stored: { answer?: MessageRow } = {};
    const prepared = await messageRuns.prepare(run, {
      model,
      workspace,
      signal,
      isAnnounced: false,
      store: {
        keep: async (outcome) => {
          if (outcome.kind === 'failed') return undefined;
          stored.answer = await this.#keepAnswer(caller, run, model, outcome);
          return stored.answer.id;
        },
      },
    });
    const outcome = await runService.run(prepared.plan, prepared.policy);
    if (outcome.kind === 'failed') throw outcome.error;
    if (!stored.answer) throw new Error('A run was kept without its answer');
    // Somebody may have decided before the run was kept.
    if (outcome.kind === 'waiting') this.#resumeLater(runId);
    else feeds.close(runId);
    return toExchange(accepted, stored.answer, run, outcome);
  }

  /** Together: a run that is resumed has a message to put its answer in. */
  #keepAnswer(
    caller: Caller,
    { id, conversation, options, state }: MessageRun,
    model: ResolvedModel,
    { kind }: LoopEnd,
  ): Promise<MessageRow> {
    const { conversations, runs, runtime } = this.#deps;
    const now = runtime.now().toISOString();
    const row: AgentRunRow = {
      id,
      kind: 'message',
      status: 'waiting',
      owner_id: conversation.owner_id,
      conversation_id: conversation.id,
      task_id: null,
      options: JSON.stringify(options),
      state: JSON.stringify(state),
      created_at: now,
      updated_at: now,
    };
    const answer = { id: options.messageId, ...answerOf(state, model) };
    return conversations.append(caller, conversation.id, answer, async (db) => {
      if (kind === 'waiting') await runs.insert(db, row);
    });
  }

  /** Resumes the run once nothing of it waits any more. */
  #resumeLater(runId: string): void {
    this.#resume(runId).catch((error: unknown) =>
      this.#deps.log.warn({ runId, reason: messageOf(error) }, 'a message could not be resumed'),
    );
  }

  async #resume(runId: string): Promise<void> {
    const { runs, conversations, approvalStore } = this.#deps;
    const known = await runs.find(runId);
    if (!known || known.kind !== 'message' || known.conversation_id === null) return;
    await conversations.inTurn(known.conversation_id, async () => {
      const asked = await approvalStore.ofRun(runId);
      const row = await runs.find(runId);
      if (!row || this.#stopping.signal.aborted || asked.some(({ status }) => status === 'pending')) return;
      // What runs when the daemon dies is resumed from its state.
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
    const outcome = await this.#runAgain({ id: row.id, conversation, options, state });
    if (outcome.kind === 'waiting') this.#resumeLater(row.id);
    else if (outcome.kind === 'done') feeds.close(row.id);
    else if (!this.#stopping.signal.aborted) this.#fail(row.id, outcome.error);
  }

  async #runAgain(run: MessageRun): Promise<RunOutcome> {
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

  /** Keeps what a resumed run came to, in the message that waited for it. */
  async #settle(run: MessageRun, outcome: RunOutcome): Promise<string | undefined> {
    const { store, database, runtime } = this.#deps;
    const { id, options, state } = run;
    const isFailed = outcome.kind === 'failed';
    // The next start resumes it.
    if (isFailed && this.#stopping.signal.aborted) return undefined;
    const status = outcome.kind === 'done' ? 'completed' : outcome.kind;
    const content = isFailed
      ? `${state.text}\n\n(Broken off: ${messageOf(outcome.error)})`.trim()
      : state.text;
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
    for (const approval of await approvalStore.ofRun(runId)) {
      const data = { toolCallId: approval.call_id, approval: toApproval(approval) };
      if (approval.used_at === null) feeds.emit(runId, { type: 'approval:decided', data });
    }
  }

  /** A new message overtakes one that waits: what that asked for is not run any more. */
  async #dropWaiting(conversationId: string): Promise<void> {
    const { runs, approvals, runtime } = this.#deps;
    for (const { id } of await runs.openMessages(conversationId)) {
      await runs.save(id, { status: 'cancelled', updated_at: runtime.now().toISOString() });
      await approvals.withdraw(id);
      this.#fail(id, new RunFailure('cancelled', 'OVERTAKEN', 'A new message came before the decision'));
    }
  }

  #fail(runId: string, error: unknown): void {
    const { feeds, log } = this.#deps;
    const failure = toRunFailure(error, () => 'Internal error');
    if (failure.code === 'INTERNAL') log.error({ runId, err: error }, 'a message with tools failed');
    feeds.emit(runId, toErrorEvent(failure));
    feeds.close(runId);
  }
}

const toExchange = (
  { message, compaction }: AcceptedMessage,
  answer: MessageRow,
  { state, options }: MessageRun,
  end: LoopEnd,
): ToolExchange => ({
  userMessage: toMessage(message),
  assistantMessage: toMessage(answer),
  usage: usageOf(state),
  ...(compaction && { compaction }),
  toolCalls: state.calls,
  pendingApprovals: end.kind === 'waiting' ? end.approvals : [],
  securityMode: options.mode,
  finishReason: state.finishReason,
});
