import type { SendWithTools, ToolExchange } from '../../../contract/conversations.ts';
import { type Caller, isAdmin, mayRunCommands } from '../../auth/caller.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor } from '../../policy/security-modes.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import { toModelMessages } from '../../providers/prompt.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { ConversationRow, MessageRow } from '../../storage/rows/conversations.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import { toMessage } from '../conversation-mapping.ts';
import { type AcceptedMessage, type ConversationService } from '../conversation-service.ts';
import type { ActiveTurns } from './active-turns.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { MessageOptions, MessageRun, MessageRuns } from './message-runs.ts';
import { partialSaver } from './partial-text.ts';
import { answerOf } from './run-end.ts';
import { toEdgeError } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunService } from './run-service.ts';
import { refusedCallsOf } from './refused-calls.ts';
import { userMessageEvent } from './run-start.ts';
import { newRunState, type RunState, usageOf } from './run-state.ts';
import type { LoopEnd, RunStorage } from './run-policy.ts';
import { endOfTurn, errorOfTurn, type TurnEnd } from './turn-end.ts';
import type { WaitingMessages } from './waiting-messages.ts';
import { instructionsOf } from './work-instructions.ts';

export interface ToolMessageDeps {
  conversations: ConversationService;
  runs: AgentRunStore;
  providers: Pick<ModelProviders, 'resolve'>;
  policy: PolicyService;
  feeds: RunFeeds;
  turns: ActiveTurns;
  runService: RunService;
  messageRuns: MessageRuns;
  waiting: WaitingMessages;
  database: Database;
  /** The directory in which the tools of a conversation work: absolute, without links. */
  workspace: (conversation: Pick<ConversationRow, 'id' | 'cwd'>) => Promise<string>;
  runtime: Runtime;
  log: Log;
}

interface TurnRequest {
  runId: string;
  /** Aborts when the client disconnects. */
  client: AbortSignal;
  /** Aborts with the client too. */
  signal: AbortSignal;
  isStreamed: boolean;
}

/** Answers messages with a model that uses tools. */
export class ToolMessageService {
  readonly #deps: ToolMessageDeps;
  constructor(deps: ToolMessageDeps) {
    this.#deps = deps;
  }

  /** Resolves with the answer of the model, or when its calls wait for approvals. */
  async send(caller: Caller, id: string, input: SendWithTools, client: AbortSignal): Promise<ToolExchange> {
    const { conversations, runtime } = this.#deps;
    await conversations.find(caller, id);
    const runId = runtime.newId('run');
    try {
      return await this.#inTurn(caller, id, input, { runId, client, isStreamed: false });
    } catch (error) {
      this.#deps.messageRuns.fail(runId, error);
      throw toEdgeError(error);
    }
  }

  /** Streams the events of the run, across approvals; throws where the run cannot start. */
  async stream(caller: Caller, id: string, input: SendWithTools, client: AbortSignal) {
    const { conversations, providers, feeds, runtime, messageRuns } = this.#deps;
    await conversations.find(caller, id);
    await providers.resolve(input);
    const runId = runtime.newId('run');
    const events = feeds.open(runId, client);
    this.#inTurn(caller, id, input, { runId, client, isStreamed: true }).catch((error: unknown) =>
      messageRuns.fail(runId, error),
    );
    return events;
  }

  #inTurn(
    caller: Caller,
    id: string,
    input: SendWithTools,
    request: Omit<TurnRequest, 'signal'>,
  ): Promise<ToolExchange> {
    const { conversations, turns } = this.#deps;
    const turn = { runId: request.runId, conversationId: id, client: request.client };
    return conversations.inTurn(id, () =>
      turns.run(turn, async (signal) => {
        try {
          return await this.#begin(caller, id, input, { ...request, signal });
        } catch (error) {
          throw errorOfTurn(error, { stopping: turns.stopping, signal });
        }
      }),
    );
  }

  async #begin(
    caller: Caller,
    id: string,
    input: SendWithTools,
    { runId, client, signal, isStreamed }: TurnRequest,
  ): Promise<ToolExchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { conversations, providers, policy, runtime, feeds, runService, messageRuns, waiting, turns } =
      this.#deps;
    await waiting.drop(id);
    const model = await providers.resolve(input);
    const mode = modeFor(policy.policy.defaultMode, input.securityMode, isAdmin(caller));
    const workspace = await this.#deps.workspace(await conversations.find(caller, id));
    const { content, enableTools, maxRoundTrips } = input;
    const accepted = await conversations.accept(caller, id, content, { model, signal });
    feeds.begin(runId, id);
    feeds.emit(runId, userMessageEvent(accepted));
    const { conversation, prompt, message } = accepted;
    const work = enableTools ? { workspace, mode, today: runtime.now() } : undefined;
    const options: MessageOptions = {
      content,
      instructions: instructionsOf(prompt.instructions, work),
      mode,
      provider: model.provider,
      model: model.modelId,
      ...(model.contextWindow !== undefined && { contextWindow: model.contextWindow }),
      isStreamed,
      enableTools,
      maxRoundTrips,
      messageId: runtime.newId('msg'),
      userMessageId: message.id,
      mayRunCommands: mayRunCommands(caller),
    };
    const run: MessageRun = {
      id: runId,
      conversation,
      options,
      state: newRunState(toModelMessages(prompt.turns)),
    };
    await this.#storeRun(run);
    const stored: { answer?: MessageRow } = {};
    const prepared = await messageRuns.prepare(run, {
      model,
      workspace,
      signal,
      isAnnounced: false,
      store: {
        ...this.#storage(runId),
        keep: async (outcome) => {
          const end = endOfTurn(outcome, { stopping: turns.stopping, signal });
          stored.answer = await this.#storeAnswer(caller, run, model, end);
          return stored.answer.id;
        },
      },
    });
    const outcome = await runService.run(prepared.plan, prepared.policy);
    if (outcome.kind === 'failed') throw outcome.error;
    if (!stored.answer) throw new Error('A run was stored without its answer');
    // The approvals may have been decided before the run was stored.
    if (outcome.kind === 'waiting') {
      if (isStreamed) turns.keepClient(runId, client);
      waiting.resume(runId);
    } else feeds.close(runId);
    return toExchange(accepted, stored.answer, run, outcome);
  }

  /** Stores that the run is under way, so that a crash leaves a trace of it. */
  async #storeRun({ id, conversation, options, state }: MessageRun): Promise<void> {
    const { database, runs, runtime } = this.#deps;
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
      created_at: now,
      updated_at: now,
    };
    await database.write(({ db }) => runs.insert(db, row));
  }

  #storage(runId: string): Pick<RunStorage, 'save' | 'savePartial'> {
    const { runs } = this.#deps;
    return {
      save: (state) => runs.save(runId, { state: JSON.stringify(savedState(state)), partial: null }),
      savePartial: partialSaver(this.#deps, runId),
    };
  }

  /** Stores both in one transaction, so that a resumed run always has a message for its answer. */
  #storeAnswer(
    caller: Caller,
    { id, conversation, options, state }: MessageRun,
    model: ResolvedModel,
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

const toExchange = (
  { message, compaction }: AcceptedMessage,
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
