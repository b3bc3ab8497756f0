import type {
  Compaction,
  Conversation,
  ConversationMessage,
  CreateConversation,
  SendMessage,
} from '../../contract/conversations.ts';
import { untitled } from '../../contract/conversations.ts';
import type { Approval } from '../../contract/approvals.ts';
import type { PresetId, TokenUsage } from '../../contract/chat.ts';
import { type Caller, mayRunCommands, requireOwned, visibleOwner } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { ConversationRow, MessageRow } from '../storage/rows/conversations.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { Compactor } from './compactor.ts';
import { toConversation, toMessage } from './conversation-mapping.ts';
import type { ConversationStore, NewMessage } from './conversation-store.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import { type Prompt, toPrompt } from '../providers/prompt.ts';
import type { ResolvedModel } from '../providers/resolved-model.ts';
import { presets } from './presets.ts';
import { SerialByKey } from '../async/serial-by-key.ts';
import type { TaskContext } from './task-context.ts';

const TITLE_LENGTH = 60;

export interface ConversationServiceDeps {
  database: Database;
  store: ConversationStore;
  providers: Pick<ModelProviders, 'resolve'>;
  calls: ModelCalls;
  compactor: Compactor;
  taskContext: TaskContext;
  runtime: Runtime;
  /** The approvals that its tool calls wait for. */
  pendingApprovals: (conversationId: string) => Promise<Approval[]>;
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
  readonly #turns = new SerialByKey();

  constructor(deps: ConversationServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller, query: { limit: number; offset: number; taskId?: string | undefined }) {
    const { limit, offset, taskId } = query;
    const where = { ownerId: visibleOwner(caller), taskId };
    const rows = await this.#deps.store.page(where, limit, offset);
    const total = await this.#deps.store.count(where);
    return { conversations: rows.map(toConversation), total, limit, offset };
  }

  async create(caller: Caller, input: CreateConversation): Promise<Conversation> {
    const { database, store, taskContext, runtime } = this.#deps;
    const { title, presetId, taskId, cwd } = input;
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
      message_count: 0,
      summary: null,
      summary_seq: 0,
      created_at: now,
      updated_at: now,
    };
    await database.write(({ db }) => store.insert(db, row));
    return toConversation(row);
  }

  async get(caller: Caller, id: string) {
    const conversation = await this.find(caller, id);
    const messages = await this.#deps.store.messages(id);
    // A message may have come between the two reads.
    return {
      conversation: toConversation({ ...conversation, message_count: messages.length }),
      messages: messages.map(toMessage),
      pendingApprovals: await this.#deps.pendingApprovals(id),
    };
  }

  async find(caller: Caller, id: string): Promise<ConversationRow> {
    return requireOwned(caller, await this.#deps.store.find(id), 'Conversation');
  }

  /** Drops an answer that is still being generated. */
  async remove(caller: Caller, id: string): Promise<void> {
    const { database, store } = this.#deps;
    await database.write(async (transaction) => {
      const { db } = transaction;
      requireOwned(caller, await store.find(id, db), 'Conversation');
      await store.remove(db, id);
      await caller.auditEntry?.append(transaction);
    });
  }

  /**
   * Stores the message, calls the model and stores its answer. If the model fails the message is kept, and the next one
   * continues from there. A conversation has one turn at a time.
   */
  async send(caller: Caller, id: string, input: SendMessage, signal: AbortSignal): Promise<Exchange> {
    await this.find(caller, id);
    return this.inTurn(id, () => this.#exchange(caller, id, input, signal));
  }

  /** Runs the work once everything before it in the conversation is answered. */
  inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.enqueue(id, work);
  }

  async #exchange(caller: Caller, id: string, input: SendMessage, signal: AbortSignal): Promise<Exchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { providers, calls } = this.#deps;
    // A message that no model can answer is not stored.
    const model = await providers.resolve(input);
    const accepted = await this.accept(caller, id, input.content, { model, signal });
    const { message: userMessage, prompt, compaction } = accepted;
    const { content, usage } = await calls.ask(model, prompt, { signal });
    const { provider, modelId } = model;
    const assistantMessage = await this.append(caller, id, {
      role: 'assistant',
      content,
      provider,
      model: modelId,
      ...usageColumns(usage),
    });
    return {
      userMessage: toMessage(userMessage),
      assistantMessage: toMessage(assistantMessage),
      usage,
      ...(compaction && { compaction }),
    };
  }

  /** Stores a message of a user; the only code that summarizes older messages of a conversation. */
  async accept(
    caller: Caller,
    id: string,
    content: string,
    { model, signal }: { model: ResolvedModel; signal: AbortSignal },
  ): Promise<AcceptedMessage> {
    const { compactor, taskContext } = this.#deps;
    const message = await this.append(caller, id, { role: 'user', content });
    const conversation = await this.find(caller, id);
    const context = await taskContext.ofConversation(conversation);
    return {
      message,
      conversation,
      ...(await compactor.fit(model, { conversation, context }, signal)),
    };
  }

  /** The prompt of a conversation whose last message was accepted before, as far as it fits. */
  async prompt(model: ResolvedModel, conversation: ConversationRow): Promise<Prompt> {
    const { compactor, taskContext } = this.#deps;
    const context = await taskContext.ofConversation(conversation);
    const messages = await compactor.read(model, { conversation, context }, []);
    return toPrompt([presets[conversation.preset_id as PresetId]], messages);
  }

  /** Stores a message, with what belongs to it; the first one names a conversation that has no name. */
  append(
    caller: Caller,
    id: string,
    message: Pick<NewMessage, 'role' | 'content'> & Partial<NewMessage>,
    storeMore?: (db: WriteTransaction['db']) => Promise<void>,
  ): Promise<MessageRow> {
    const { database, store, runtime } = this.#deps;
    const row: NewMessage = {
      id: runtime.newId('msg'),
      provider: null,
      model: null,
      prompt_tokens: null,
      completion_tokens: null,
      total_tokens: null,
      tool_calls: null,
      created_at: runtime.now().toISOString(),
      ...message,
    };
    return database.write(async ({ db }) => {
      const conversation = requireOwned(caller, await store.find(id, db), 'Conversation');
      if (conversation.message_count === 0 && conversation.title === untitled)
        await store.change(db, id, { title: titleOf(row.content) });
      await storeMore?.(db);
      return store.append(db, conversation, row);
    });
  }
}

export const usageColumns = (usage: TokenUsage) => ({
  prompt_tokens: usage.promptTokens ?? null,
  completion_tokens: usage.completionTokens ?? null,
  total_tokens: usage.totalTokens ?? null,
});

const characters = new Intl.Segmenter();
function titleOf(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TITLE_LENGTH * 20);
  return Array.from(characters.segment(line), ({ segment }) => segment)
    .slice(0, TITLE_LENGTH)
    .join('')
    .trim();
}
