import type {
  Compaction,
  Conversation,
  ConversationMessage,
  CreateConversation,
  MessageError,
  SendMessage,
} from '../../contract/conversations.ts';
import { untitled } from '../../contract/conversations.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { EventBus } from '../events.ts';
import type { Approval } from '../../contract/approvals.ts';
import type { PresetId, TokenUsage } from '../../contract/chat.ts';
import {
  type Caller,
  mayRunCommands,
  requireCommandRights,
  requireOwned,
  visibleOwner,
} from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { ConversationRow, MessageRow } from '../storage/rows/conversations.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { Compactor } from './compactor.ts';
import type { ConversationFeeds } from './conversation-feeds.ts';
import { toConversation, toMessage } from './conversation-mapping.ts';
import type { ConversationConditions, ConversationStore, NewMessage } from './conversation-store.ts';
import type { ChatBudgets } from '../budgets/chat-budgets.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import { usedInConversation } from '../usage/used-by.ts';
import type { RepositoryNames } from '../worktrees/repository-names.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import { type Prompt, toPrompt } from '../providers/prompt.ts';
import type { ResolvedModel } from '../providers/resolved-model.ts';
import { presets } from './presets.ts';
import { publishTurn } from './publish-turn.ts';
import { endOfTurn } from './runs/turn-end.ts';
import { titleOf } from './title-of.ts';
import { currentRunOf } from './current-run.ts';
import { costOfAnswer } from '../providers/call-cost.ts';
import { withCost } from './conversation-cost.ts';
import { usageOfConversation } from './conversation-usage.ts';
import type { Turns } from './turns/turns.ts';
import type { TaskContext } from './task-context.ts';

export interface ConversationServiceDeps {
  database: Database;
  store: ConversationStore;
  providers: Pick<ModelProviders, 'resolve' | 'priceOf'>;
  chatBudgets: Pick<ChatBudgets, 'passUnseen'>;
  calls: ModelCalls;
  repositoryNames: Pick<RepositoryNames, 'of'>;
  compactor: Compactor;
  taskContext: TaskContext;
  runtime: Runtime;
  feeds: ConversationFeeds;
  turns: Turns;
  /** To be called once a client follows a conversation, whose turn may run on another daemon. */
  onFollow: (conversationId: string) => Promise<void> | undefined;
  registry: Pick<AgentRegistry, 'isProgram'>;
  bus: EventBus;
  /** The approvals that its tool calls wait for. */
  pendingApprovals: (conversationId: string) => Promise<Approval[]>;
}

interface ListConversations extends Pick<ConversationConditions, 'taskId' | 'cwd'> {
  limit: number;
  offset: number;
  /** Only those of the caller, whatever else an administrator sees. */
  mine?: boolean | undefined;
}

export interface Exchange {
  userMessage: ConversationMessage;
  assistantMessage: ConversationMessage;
  usage: TokenUsage;
  compaction?: Compaction;
}

/** A message of a user that is stored, and the prompt that it makes with everything before it. */
export interface AcceptedMessage {
  message: MessageRow;
  conversation: ConversationRow;
  prompt: Prompt;
  compaction: Compaction | undefined;
}

/** Stored conversations: each message is kept, and the model gets the earlier ones. */
export class ConversationService {
  readonly #deps: ConversationServiceDeps;

  constructor(deps: ConversationServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller, query: ListConversations) {
    const { limit, offset, taskId, cwd, mine } = query;
    const where = { ownerId: mine ? caller.userId : visibleOwner(caller), taskId, cwd };
    const rows = await this.#deps.store.page(where, limit, offset);
    const total = await this.#deps.store.count(where);
    return { conversations: rows.map(toConversation), total, limit, offset };
  }

  async create(caller: Caller, input: CreateConversation): Promise<Conversation> {
    const { database, store, taskContext, runtime } = this.#deps;
    const { title, presetId, taskId, cwd, agent } = input;
    if (agent !== undefined) this.#requireAgent(caller, agent);
    if (cwd !== undefined && !mayRunCommands(caller))
      throw new AppError('forbidden', 'Only an administrator may choose the folder');
    if (taskId !== undefined) await taskContext.find(caller, { taskId });
    const now = runtime.now().toISOString();
    const row: ConversationRow = {
      id: runtime.newId('conv'),
      owner_id: caller.userId,
      title,
      preset_id: presetId,
      task_id: taskId ?? null,
      cwd: cwd ?? null,
      agent: agent ?? null,
      agent_session: null,
      message_count: 0,
      summary: null,
      summary_seq: 0,
      turn_owner: null,
      turn_until: null,
      turn_fence: 0,
      turn_stop: 0,
      created_at: now,
      updated_at: now,
    };
    await database.write(({ db }) => store.insert(db, row));
    return toConversation(row);
  }

  #requireAgent(caller: Caller, agent: string): void {
    requireCommandRights(caller);
    if (this.#deps.registry.isProgram(agent)) return;
    throw new AppError(
      'validation',
      `There is no agent "${agent}" that answers in conversations. List all: svc agents ls`,
    );
  }

  async get(caller: Caller, id: string) {
    const { store, database, providers, pendingApprovals } = this.#deps;
    const conversation = await this.find(caller, id);
    const messages = (await store.messages(id)).map((message) => withCost(message, providers));
    const usage = usageOfConversation(conversation, messages);
    const currentRun = await currentRunOf(database, id);
    return {
      conversation: {
        // A message may have come between the two reads.
        ...toConversation({ ...conversation, message_count: messages.length }),
        ...(usage && { usage }),
      },
      messages: messages.map(toMessage),
      pendingApprovals: await pendingApprovals(id),
      ...(currentRun && { currentRun }),
    };
  }

  async find(caller: Caller, id: string): Promise<ConversationRow> {
    return requireOwned(caller, await this.#deps.store.find(id), 'Conversation');
  }

  /** A conversation in which a model answers; throws `wrong_state` where an agent does. */
  async findForModel(caller: Caller, id: string): Promise<ConversationRow> {
    const found = await this.find(caller, id);
    if (found.agent === null) return found;
    throw new AppError(
      'wrong_state',
      `${found.agent} answers in this conversation: send messages with tools, without agentic mode`,
    );
  }

  /** Streams the events of the current turn and of all later ones, after the event that the client has. */
  async follow(caller: Caller, id: string, after: string | undefined, signal: AbortSignal) {
    await this.find(caller, id);
    // Before what is known of the turn is sent, so that the place of the client in it is found.
    await this.#deps.onFollow(id);
    return this.#deps.feeds.open(id, after, signal);
  }

  /** Drops an answer that is still being generated. */
  async remove(caller: Caller, id: string): Promise<void> {
    const { database, store } = this.#deps;
    await database.write(async (transaction) => {
      const { db } = transaction;
      requireOwned(caller, await store.lock(db, id), 'Conversation');
      await store.remove(db, id);
      await caller.auditEntry?.append(transaction);
    });
    this.#deps.feeds.close(id);
    this.#deps.bus.emit('conversation_removed', { id });
  }

  /**
   * Stores the message, calls the model and stores its answer. If the model fails the message is kept with an answer
   * that says so. A conversation has one turn at a time.
   */
  async send(caller: Caller, id: string, input: SendMessage, signal: AbortSignal): Promise<Exchange> {
    const found = this.findForModel(caller, id);
    // In turn as they came, whichever of them is looked up first.
    const exchanged = this.inTurn(id, () =>
      found.then((conversation) => this.#exchange(caller, conversation, input, signal)),
    );
    const [, exchange] = await Promise.all([found, exchanged]);
    return exchange;
  }

  /** Runs the work once everything before it in the conversation is answered. */
  inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#deps.turns.run(id, work);
  }

  /** Whether a turn of the conversation runs or waits for another one. */
  isInTurn(id: string): Promise<boolean> {
    return this.#deps.turns.isBusy(id);
  }

  async #exchange(
    caller: Caller,
    conversation: ConversationRow,
    input: SendMessage,
    signal: AbortSignal,
  ): Promise<Exchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { providers, repositoryNames } = this.#deps;
    const { id } = conversation;
    const usedBy = await usedInConversation(repositoryNames, caller, conversation);
    // A message that no model can answer is not stored.
    const model = await providers.resolve(input, usedBy, { asks: true });
    const accepted = await this.accept(caller, id, input.content, { model, signal });
    const { message: userMessage, compaction } = accepted;
    const turn = publishTurn(this.#deps, userMessage, { isCompacted: compaction !== undefined });
    try {
      await this.#deps.chatBudgets.passUnseen(usedBy, conversation, { runId: userMessage.id, signal });
      const { usage, row } = await this.#answer(model, accepted, signal);
      const assistantMessage = await this.append(caller, id, row);
      turn.complete(assistantMessage, model, usage);
      return {
        userMessage: toMessage(userMessage),
        assistantMessage: toMessage(assistantMessage),
        usage,
        ...(compaction && { compaction }),
      };
    } catch (error) {
      turn.fail(await this.#storeFailure(caller, userMessage, model, { error, signal }));
      throw error;
    }
  }

  async #answer(model: ResolvedModel, { prompt, message }: AcceptedMessage, signal: AbortSignal) {
    const { provider, modelId, contextWindow } = model;
    const { content, finishReason, ...end } = await this.#deps.calls.ask(model, prompt, { signal });
    const { usage } = end;
    return {
      usage,
      row: {
        role: 'assistant',
        content,
        provider,
        model: modelId,
        reply_to: message.id,
        status: 'completed',
        finish_reason: finishReason,
        cost_usd: costOfAnswer(end, model.price) ?? null,
        context_tokens: usage.promptTokens ?? null,
        context_window: usage.promptTokens === undefined ? null : (contextWindow ?? null),
        ...usageColumns(usage),
      },
    };
  }

  /** Stores that a message got no answer, so that the next one is not read as a part of it. */
  async #storeFailure(
    caller: Caller,
    { id: reply_to, conversation_id: id }: MessageRow,
    { provider, modelId }: ResolvedModel,
    { error, signal }: { error: unknown; signal: AbortSignal },
  ): Promise<MessageError> {
    const end = endOfTurn({ kind: 'failed', error }, { signal });
    const { status, error: reason = { code: 'INTERNAL', message: 'Internal error' } } = end;
    const answer = { role: 'assistant', content: '', provider, model: modelId, reply_to, status };
    try {
      await this.append(caller, id, { ...answer, error: JSON.stringify(reason) });
    } catch (failure) {
      // The conversation was deleted, or nothing can be stored: the first error says more.
      if (!(failure instanceof AppError)) throw failure;
    }
    return reason;
  }

  /** Stores a message of a user; the only code that summarizes older messages of a conversation. */
  async accept(
    caller: Caller,
    id: string,
    content: string,
    { model, signal }: { model: ResolvedModel; signal: AbortSignal },
  ): Promise<AcceptedMessage> {
    const { compactor, taskContext } = this.#deps;
    await this.findForModel(caller, id);
    const message = await this.append(caller, id, { role: 'user', content });
    try {
      const conversation = await this.find(caller, id);
      const context = await taskContext.ofConversation(conversation);
      const head = { conversation, context, upTo: message.id };
      return { message, conversation, ...(await compactor.fit(model, head, signal)) };
    } catch (error) {
      await this.#storeFailure(caller, message, model, { error, signal });
      throw error;
    }
  }

  /** Whether the model takes the conversation with a new message as it is, so that `accept` would only store that. */
  async fits(model: ResolvedModel, conversation: ConversationRow, content: string): Promise<boolean> {
    const { compactor, taskContext } = this.#deps;
    const context = await taskContext.ofConversation(conversation);
    return compactor.fits(model, { conversation, context }, [{ role: 'user', content }]);
  }

  /** The prompt for a message that was accepted before, as far as the conversation fits. */
  async prompt(model: ResolvedModel, conversation: ConversationRow, upTo: string): Promise<Prompt> {
    const { compactor, taskContext } = this.#deps;
    const context = await taskContext.ofConversation(conversation);
    const messages = await compactor.read(model, { conversation, context, upTo }, []);
    return toPrompt([presets[conversation.preset_id as PresetId]], messages);
  }

  /** Stores a message, with what belongs to it; the first one names a conversation that has no name. */
  append(
    caller: Caller,
    id: string,
    message: AddedMessage,
    storeMore?: (db: WriteTransaction['db']) => Promise<void>,
  ): Promise<MessageRow> {
    return this.#deps.database.write(({ db }) => this.appendWith(db, caller, id, message, storeMore));
  }

  /** The same, within a transaction. */
  async appendWith(
    db: WriteTransaction['db'],
    caller: Caller,
    id: string,
    message: AddedMessage,
    storeMore?: (db: WriteTransaction['db']) => Promise<void>,
  ): Promise<MessageRow> {
    const { store, runtime, turns } = this.#deps;
    const row: NewMessage = {
      id: runtime.newId('msg'),
      provider: null,
      model: null,
      prompt_tokens: null,
      completion_tokens: null,
      total_tokens: null,
      tool_calls: null,
      status: null,
      error: null,
      finish_reason: null,
      reply_to: null,
      steps: null,
      cost_usd: null,
      context_tokens: null,
      context_window: null,
      created_at: runtime.now().toISOString(),
      ...message,
    };
    const conversation = requireOwned(caller, await store.lock(db, id), 'Conversation');
    if (conversation.turn_fence !== (turns.fenceOf(id) ?? conversation.turn_fence))
      throw new AppError('wrong_state', 'Another daemon has taken over the turn of this conversation');
    if (conversation.message_count === 0 && conversation.title === untitled)
      await store.change(db, id, { title: titleOf(row.content) });
    await storeMore?.(db);
    return store.append(db, conversation, row);
  }
}

/** A message to store; what it leaves out is null. */
type AddedMessage = Pick<NewMessage, 'role' | 'content'> & Partial<NewMessage>;

export const usageColumns = (usage: TokenUsage) => ({
  prompt_tokens: usage.promptTokens ?? null,
  completion_tokens: usage.completionTokens ?? null,
  total_tokens: usage.totalTokens ?? null,
});
