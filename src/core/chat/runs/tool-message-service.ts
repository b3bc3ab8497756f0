import type { ModelMessage } from 'ai';
import type { SendWithTools, ToolExchange } from '../../../contract/conversations.ts';
import { type Caller, isAdmin, mayRunCommands } from '../../auth/caller.ts';
import { AppError } from '../../errors.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor } from '../../policy/security-modes.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow, MessageRow } from '../../storage/rows/conversations.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import { toMessage } from '../conversation-mapping.ts';
import { type AcceptedMessage, type ConversationService } from '../conversation-service.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { MessageOptions, MessageRun, MessageRuns } from './message-runs.ts';
import { answerOf } from './run-end.ts';
import { toEdgeError } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunService } from './run-service.ts';
import { userMessageEvent } from './run-start.ts';
import { newRunState, usageOf } from './run-state.ts';
import type { LoopEnd } from './run-policy.ts';
import type { WaitingMessages } from './waiting-messages.ts';
import { instructionsOf } from './work-instructions.ts';

export interface ToolMessageDeps {
  conversations: ConversationService;
  runs: AgentRunStore;
  providers: Pick<ModelProviders, 'resolve'>;
  policy: PolicyService;
  feeds: RunFeeds;
  runService: RunService;
  messageRuns: MessageRuns;
  waiting: WaitingMessages;
  /** The directory in which the tools of a conversation work: absolute, without links. */
  workspace: (conversation: Pick<ConversationRow, 'id' | 'cwd'>) => Promise<string>;
  runtime: Runtime;
}

/** Answers messages with a model that uses tools. */
export class ToolMessageService {
  readonly #deps: ToolMessageDeps;
  constructor(deps: ToolMessageDeps) {
    this.#deps = deps;
  }

  /** Resolves with the answer of the model, or when its calls wait for approvals. */
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

  /** Streams the events of the run, across approvals; throws where the run cannot start. */
  async stream(caller: Caller, id: string, input: SendWithTools, signal: AbortSignal) {
    const { conversations, providers, feeds, runtime, messageRuns } = this.#deps;
    await conversations.find(caller, id);
    await providers.resolve(input);
    const runId = runtime.newId('run');
    const events = feeds.open(runId, signal);
    conversations
      .inTurn(id, () => this.#begin(caller, id, input, { runId, signal, isStreamed: true }))
      .catch((error: unknown) => messageRuns.fail(runId, error));
    return events;
  }

  async #begin(
    caller: Caller,
    id: string,
    input: SendWithTools,
    { runId, signal, isStreamed }: { runId: string; signal: AbortSignal; isStreamed: boolean },
  ): Promise<ToolExchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { conversations, providers, policy, runtime, feeds, runService, messageRuns, waiting } = this.#deps;
    await waiting.drop(id);
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
          stored.answer = await this.#storeAnswer(caller, run, model, outcome);
          return stored.answer.id;
        },
      },
    });
    const outcome = await runService.run(prepared.plan, prepared.policy);
    if (outcome.kind === 'failed') throw outcome.error;
    if (!stored.answer) throw new Error('A run was stored without its answer');
    // The approvals may have been decided before the run was stored.
    if (outcome.kind === 'waiting') waiting.resume(runId);
    else feeds.close(runId);
    return toExchange(accepted, stored.answer, run, outcome);
  }

  /** Stores both in one transaction, so that a resumed run always has a message for its answer. */
  #storeAnswer(
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
