import type { SendWithTools, ToolExchange } from '../../../contract/conversations.ts';
import { type Caller, isAdmin, mayRunCommands } from '../../auth/caller.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import { AppError } from '../../errors.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor } from '../../policy/security-modes.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import { toModelMessages } from '../../providers/prompt.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow, MessageRow } from '../../storage/rows/conversations.ts';
import type { ConversationService } from '../conversation-service.ts';
import { type ActiveTurns, clientOfStream } from './active-turns.ts';
import type { MessageOptions, MessageRun, MessageRuns } from './message-runs.ts';
import { cancelled, toEdgeError } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunService } from './run-service.ts';
import { userMessageEvent } from './run-start.ts';
import { newRunState } from './run-state.ts';
import { type StoredTurns, toExchange } from './stored-turns.ts';
import { endOfTurn, errorOfTurn } from './turn-end.ts';
import { usedInConversation } from '../../usage/used-by.ts';
import type { RepositoryNames } from '../../worktrees/repository-names.ts';
import type { WaitingMessages } from './waiting-messages.ts';
import { instructionsOf } from './work-instructions.ts';

export interface ToolMessageDeps {
  conversations: ConversationService;
  providers: Pick<ModelProviders, 'resolve'>;
  policy: PolicyService;
  feeds: RunFeeds;
  turns: ActiveTurns;
  runService: RunService;
  messageRuns: MessageRuns;
  waiting: WaitingMessages;
  storedTurns: StoredTurns;
  approvals: Pick<ApprovalService, 'expireForRun'>;
  /** The directory in which the tools of a conversation work: absolute, without links. */
  workspace: (conversation: Pick<ConversationRow, 'id' | 'cwd'>) => Promise<string>;
  repositoryNames: Pick<RepositoryNames, 'of'>;
  runtime: Runtime;
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
  async stream(caller: Caller, id: string, input: SendWithTools, reader: AbortSignal) {
    const { conversations, providers, feeds, runtime, messageRuns } = this.#deps;
    await conversations.find(caller, id);
    await providers.resolve(input, undefined);
    const runId = runtime.newId('run');
    const events = feeds.open(runId, reader);
    const client = clientOfStream(input, reader);
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
    const { storedTurns, approvals } = this.#deps;
    await waiting.drop(id);
    const found = await conversations.find(caller, id);
    const usedBy = await usedInConversation(this.#deps.repositoryNames, caller, found);
    const model = await providers.resolve(input, usedBy, { asks: true });
    const mode = modeFor((await policy.current()).defaultMode, input.securityMode, isAdmin(caller));
    const workspace = await this.#deps.workspace(found);
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
      usedBy,
    };
    const run: MessageRun = {
      id: runId,
      conversation,
      options,
      state: newRunState(toModelMessages(prompt.turns)),
    };
    await storedTurns.begin(run);
    const stored: { answer?: MessageRow } = {};
    const { save, savePartial, stop } = storedTurns.savers(runId);
    const prepared = await messageRuns.prepare(run, {
      model,
      workspace,
      signal,
      isAnnounced: false,
      store: {
        save,
        savePartial,
        keep: async (outcome) => {
          stop();
          const end = endOfTurn(outcome, { stopping: turns.stopping, signal });
          stored.answer = await storedTurns.answer(caller, run, model, end);
          return stored.answer.id;
        },
      },
    });
    const outcome = await runService.run(prepared.plan, prepared.policy);
    if (outcome.kind === 'failed') {
      // A question about a budget has no one left who waits for it.
      if (!turns.stopping.aborted) await approvals.expireForRun(runId);
      throw outcome.error;
    }
    if (!stored.answer) throw new Error('A run was stored without its answer');
    // The approvals may have been decided before the run was stored, or the turn stopped as it asked for them.
    if (outcome.kind === 'waiting' && turns.isStopped(runId)) await waiting.drop(id, cancelled());
    else if (outcome.kind === 'waiting') {
      if (isStreamed) turns.keepClient(runId, client);
      waiting.resume(runId);
    } else feeds.close(runId);
    return toExchange(accepted, stored.answer, run, outcome);
  }
}
