import type { ModelMessage } from 'ai';
import type { Compaction, SendWithTools, ToolExchange } from '../../../contract/conversations.ts';
import type { NewRunEvent } from '../../../contract/run-events.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { type Caller, isAdmin, mayRunCommands } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import { type ApprovalService, toApproval } from '../../approvals/approval-service.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor } from '../../policy/security-modes.ts';
import type { ConversationRow, MessageRow } from '../../storage/chat-rows.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/tool-rows.ts';
import type { Runtime } from '../../runtime.ts';
import type { ToolRun } from '../../tools/tool-gate.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import type { Compactor } from '../compactor.ts';
import { toMessage } from '../conversation-mapping.ts';
import { type ConversationService, usageColumns } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import { modelError } from '../../providers/model-error.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { TaskContext } from '../task-context.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import { offeredTools } from './offered-tools.ts';
import type { RunFeeds } from './run-feeds.ts';
import { answerOf, completeEvent } from './run-end.ts';
import { newRunState, type RunState, usageOf } from './run-state.ts';
import { type LoopEnd, type LoopOrder, RunFailure, type ToolLoop } from './tool-loop.ts';
import { workInstructions } from './work-instructions.ts';

/** Answers of the model with calls, before the one that has to be the last. */
const MAX_ROUND_TRIPS = 5;

export interface ToolMessageDeps {
  database: Database;
  bus: EventBus;
  conversations: ConversationService;
  store: ConversationStore;
  runs: AgentRunStore;
  users: UserStore;
  providers: Pick<ModelProviders, 'resolve'>;
  compactor: Compactor;
  taskContext: TaskContext;
  loop: ToolLoop;
  registry: ToolRegistry;
  policy: PolicyService;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  feeds: RunFeeds;
  /** The folder in which the tools of a conversation work: absolute, without links. */
  workspace: (conversation: Pick<ConversationRow, 'id' | 'cwd'>) => Promise<string>;
  runtime: Runtime;
  log: Log;
}

/** What has to be known to go on with a message that waited. */
interface MessageOptions {
  content: string;
  instructions: string;
  mode: SecurityMode;
  provider: ResolvedModel['provider'];
  model: string;
  isStreamed: boolean;
  enableTools: boolean;
  messageId: string;
  mayRunCommands: boolean;
}

/** Messages to which a model answers with the help of tools; one that waits for approvals goes on after a restart. */
export class ToolMessageService {
  readonly #deps: ToolMessageDeps;
  readonly #stopping = new AbortController();
  #unsubscribe: (() => void) | undefined;
  constructor(deps: ToolMessageDeps) {
    this.#deps = deps;
  }

  /** From now on goes on with messages whose approvals are decided. */
  listen(): void {
    this.#unsubscribe = this.#deps.bus.on('approval', ({ row }) => {
      if (row.status !== 'pending') this.#resumeLater(row.run_id);
    });
  }

  /** Goes on with what an earlier process left. */
  async start(): Promise<void> {
    for (const run of await this.#deps.runs.openMessages()) this.#resumeLater(run.id);
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#stopping.abort(new AppError('unavailable', 'svc stops'));
  }

  /** Answers when the model has, or when its calls wait for a person. */
  async send(caller: Caller, id: string, wish: SendWithTools, signal: AbortSignal): Promise<ToolExchange> {
    await this.#deps.conversations.find(caller, id);
    try {
      return await this.#deps.conversations.inTurn(id, () =>
        this.#begin(caller, id, wish, signal, this.#newId(), false),
      );
    } catch (error) {
      if (!(error instanceof RunFailure)) throw error;
      const { failure, code, message, retryAfterMs } = error;
      throw modelError({ class: failure, code, message, retryAfterMs });
    }
  }

  /** As `send`, told while it happens; the stream goes on over approvals. Throws what is wrong from the start. */
  async stream(caller: Caller, id: string, wish: SendWithTools, signal: AbortSignal) {
    await this.#deps.conversations.find(caller, id);
    await this.#deps.providers.resolve(wish);
    const runId = this.#newId();
    const events = this.#deps.feeds.open(runId, signal);
    this.#deps.conversations
      .inTurn(id, () => this.#begin(caller, id, wish, signal, runId, true))
      .then(({ pendingApprovals }) => {
        if (pendingApprovals.length === 0) this.#deps.feeds.close(runId);
      })
      .catch((error: unknown) => this.#tellFailure(runId, error));
    return events;
  }

  #newId(): string {
    return this.#deps.runtime.newId('run');
  }

  async #begin(
    caller: Caller,
    id: string,
    wish: SendWithTools,
    signal: AbortSignal,
    runId: string,
    isStreamed: boolean,
  ): Promise<ToolExchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { conversations, providers, compactor, taskContext, policy, runtime } = this.#deps;
    await this.#dropWaiting(id);
    const model = await providers.resolve(wish);
    const mode = modeFor(policy.policy.defaultMode, wish.securityMode, isAdmin(caller));
    const before = await conversations.find(caller, id);
    const workspace = await this.#deps.workspace(before);
    const userMessage = await conversations.append(caller, id, { role: 'user', content: wish.content });
    const conversation = await conversations.find(caller, id);
    const context = await taskContext.ofConversation(conversation);
    const { prompt, compaction } = await compactor.fit(model, { conversation, context }, signal);
    this.#emit(runId, {
      type: 'user_message',
      data: {
        id: userMessage.id,
        content: userMessage.content,
        compactionApplied: compaction !== undefined,
        messageCount: conversation.message_count,
      },
    });
    const work = wish.enableTools ? workInstructions({ workspace, mode, today: runtime.now() }) : '';
    const options: MessageOptions = {
      content: wish.content,
      instructions: [prompt.instructions, work].filter(Boolean).join('\n\n'),
      mode,
      provider: model.provider,
      model: model.modelId,
      isStreamed,
      enableTools: wish.enableTools,
      messageId: runtime.newId('msg'),
      mayRunCommands: mayRunCommands(caller),
    };
    const state = newRunState(prompt.turns.map(({ role, content }): ModelMessage => ({ role, content })));
    const order = await this.#order({ runId, conversation, options, state, model, workspace, signal });
    this.#emit(runId, {
      type: 'session:start',
      data: {
        sessionId: runId,
        conversationId: id,
        provider: model.provider,
        model: model.modelId,
        maxSteps: order.maxSteps,
        maxBudget: null,
        timeoutMs: null,
      },
    });
    const end = await this.#deps.loop.run(order);
    const row: AgentRunRow = {
      id: runId,
      kind: 'message',
      status: 'waiting',
      owner_id: conversation.owner_id,
      conversation_id: id,
      task_id: null,
      options: JSON.stringify(options),
      state: JSON.stringify(state),
      created_at: runtime.now().toISOString(),
      updated_at: runtime.now().toISOString(),
    };
    const answer = { id: options.messageId, ...answerOf(state, model) };
    // Together: a run that goes on has a message to put its answer in.
    const assistantMessage = await conversations.append(caller, id, answer, async (db) => {
      if (end.kind === 'waiting') await this.#deps.runs.insert(db, row);
    });
    // Somebody may have decided before the run was kept.
    if (end.kind === 'waiting') this.#resumeLater(runId);
    else this.#tellEnd(runId, order, assistantMessage.id);
    return toExchange(userMessage, assistantMessage, state, end, mode, compaction);
  }

  /** Goes on once nothing of the run waits any more. */
  #resumeLater(runId: string): void {
    this.#resume(runId).catch((error: unknown) =>
      this.#deps.log.warn({ runId, reason: messageOf(error) }, 'a message could not go on'),
    );
  }

  async #resume(runId: string): Promise<void> {
    const { runs, conversations, approvalStore } = this.#deps;
    const known = await runs.find(runId);
    if (!known || known.kind !== 'message' || known.conversation_id === null) return;
    await conversations.inTurn(known.conversation_id, async () => {
      const asked = await approvalStore.listByRun(runId);
      const row = await runs.find(runId);
      if (!row || this.#stopping.signal.aborted || asked.some(({ status }) => status === 'pending')) return;
      // What runs when the daemon dies goes on where its state says.
      if (row.status !== 'waiting' && row.status !== 'running') return;
      await runs.save(runId, { status: 'running' });
      await this.#goOn(row);
    });
  }

  async #goOn(row: AgentRunRow): Promise<void> {
    const { runs, store, database, providers, runtime, approvalStore } = this.#deps;
    const conversation = row.conversation_id === null ? undefined : await store.find(row.conversation_id);
    if (!conversation || row.state === null) return;
    const options = JSON.parse(row.options) as MessageOptions;
    const state = JSON.parse(row.state) as RunState;
    for (const approval of await approvalStore.listByRun(row.id)) {
      const data = { toolCallId: approval.call_id, approval: toApproval(approval) };
      if (approval.used_at === null) this.#emit(row.id, { type: 'approval:decided', data });
    }
    let end: LoopEnd = { kind: 'done' };
    let order: LoopOrder | undefined;
    let failure: string | undefined;
    try {
      const model = await providers.resolve({ provider: options.provider, model: options.model });
      const workspace = await this.#deps.workspace(conversation);
      const { signal } = this.#stopping;
      order = await this.#order({ runId: row.id, conversation, options, state, model, workspace, signal });
      order.save = (saved) => runs.save(row.id, { state: JSON.stringify(saved) });
      end = await this.#deps.loop.run(order);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      failure = messageOf(error);
      this.#tellFailure(row.id, error);
    }
    const status = failure !== undefined ? 'failed' : end.kind === 'waiting' ? 'waiting' : 'completed';
    const content = failure === undefined ? state.text : `${state.text}\n\n(Broken off: ${failure})`.trim();
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
        .where('id', '=', row.id)
        .execute();
    });
    if (status === 'waiting') this.#resumeLater(row.id);
    else if (order && failure === undefined) this.#tellEnd(row.id, order, options.messageId);
  }

  /** A new message overtakes one that waits: what that asked for is not run any more. */
  async #dropWaiting(conversationId: string): Promise<void> {
    const { runs, approvals, runtime } = this.#deps;
    for (const { id } of await runs.openMessages(conversationId)) {
      await runs.save(id, { status: 'cancelled', updated_at: runtime.now().toISOString() });
      await approvals.expireForRun(id);
      this.#tellFailure(
        id,
        new RunFailure('cancelled', 'OVERTAKEN', 'A new message came before the decision'),
      );
    }
  }

  async #order(deps: {
    runId: string;
    conversation: ConversationRow;
    options: MessageOptions;
    state: RunState;
    model: ResolvedModel;
    workspace: string;
    signal: AbortSignal;
  }): Promise<LoopOrder> {
    const { runId, conversation, options, state, model, workspace, signal } = deps;
    const { registry, policy, users } = this.#deps;
    const user = await users.find(conversation.owner_id);
    const run: ToolRun = {
      id: runId,
      canAsk: true,
      context: {
        workspace,
        userId: conversation.owner_id,
        mode: options.mode,
        // Rights that ended meanwhile are gone here too.
        mayRunCommands: options.mayRunCommands && user?.role === 'admin' && user.disabled_at === null,
        isTrusted: true,
        conversationId: conversation.id,
        signal,
      },
    };
    return {
      model,
      instructions: options.instructions,
      tools: options.enableTools ? await offeredTools(registry, policy, options.mode) : [],
      run,
      state,
      maxSteps: options.enableTools ? MAX_ROUND_TRIPS + 1 : 1,
      maxBudget: null,
      endsWithAnswer: true,
      isStreamed: options.isStreamed,
      showsThinking: true,
      onApproval: 'suspend',
      retries: false,
      emit: (event) => this.#emit(runId, event),
    };
  }

  #emit(runId: string, event: NewRunEvent): void {
    this.#deps.feeds.emit(runId, event);
  }

  #tellEnd(runId: string, { state, model }: LoopOrder, messageId: string): void {
    this.#emit(runId, completeEvent(state, model));
    this.#emit(runId, { type: 'message_saved', data: { id: messageId } });
    this.#deps.feeds.close(runId);
  }

  #tellFailure(runId: string, error: unknown): void {
    const code =
      error instanceof RunFailure ? error.code : error instanceof AppError ? error.code : 'internal';
    if (!(error instanceof AppError) && !(error instanceof RunFailure))
      this.#deps.log.error({ runId, err: error }, 'a message with tools failed');
    const message = code === 'internal' ? 'Internal error' : messageOf(error);
    this.#emit(runId, { type: 'error', data: { message, code: code.toUpperCase() } });
    this.#deps.feeds.close(runId);
  }
}

const toExchange = (
  userMessage: MessageRow,
  assistantMessage: MessageRow,
  state: RunState,
  end: LoopEnd,
  securityMode: SecurityMode,
  compaction: Compaction | undefined,
): ToolExchange => ({
  userMessage: toMessage(userMessage),
  assistantMessage: toMessage(assistantMessage),
  usage: usageOf(state),
  ...(compaction && { compaction }),
  toolCalls: state.calls,
  pendingApprovals: end.kind === 'waiting' ? end.approvals : [],
  securityMode,
  finishReason: state.finishReason,
});
