import type {
  ChatMessage,
  Completion,
  CompletionChunk,
  CompletionRequest,
  PresetId,
} from '../../contract/chat.ts';
import type { ProviderName } from '../../contract/providers.ts';
import type { Caller } from '../auth/caller.ts';
import type { Recall } from './recall/recall.ts';
import type { Runtime } from '../runtime.ts';
import type { Compactor } from './compactor.ts';
import type { ConversationService } from './conversation-service.ts';
import type { CallOptions, ModelCalls } from '../providers/model-calls.ts';
import { presets } from './presets.ts';
import { type Prompt, toPrompt } from '../providers/prompt.ts';
import { usedByCaller } from '../usage/used-by.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { ResolvedModel } from '../providers/resolved-model.ts';
import type { FoundContext, TaskContext } from './task-context.ts';

export interface CompletionServiceDeps {
  providers: Pick<ModelProviders, 'resolve'>;
  calls: ModelCalls;
  conversations: ConversationService;
  compactor: Compactor;
  taskContext: TaskContext;
  /** What the memory holds about a question. */
  recall: Recall['forQuestion'];
  runtime: Runtime;
}

interface ModelSelection {
  model?: string | undefined;
  provider?: ProviderName | undefined;
}
interface ContextSelection {
  taskId?: string | undefined;
  ticketId?: string | undefined;
}
interface Ready {
  model: ResolvedModel;
  prompt: Prompt;
  options: CallOptions;
}

/** Completions: answers of models that are not stored. */
export class CompletionService {
  readonly #deps: CompletionServiceDeps;
  constructor(deps: CompletionServiceDeps) {
    this.#deps = deps;
  }

  async complete(caller: Caller, request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    return this.#answer(await this.#prepare(caller, request, signal));
  }

  /** Resolves when the model begins to answer. */
  async stream(
    caller: Caller,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<CompletionChunk>> {
    const { model, prompt, options } = await this.#prepare(caller, request, signal);
    return this.#deps.calls.stream(model, prompt, options);
  }

  async quick(caller: Caller, request: ModelSelection & { prompt: string }, signal: AbortSignal) {
    const model = await this.#deps.providers.resolve(request, usedByCaller(caller));
    const prompt = toPrompt([], [{ role: 'user', content: request.prompt }]);
    const {
      id,
      message,
      provider,
      model: modelId,
      usage,
      duration,
    } = await this.#answer({
      model,
      prompt,
      options: { signal },
    });
    return { id, content: message.content, provider, model: modelId, usage, duration };
  }

  /** Adds the preset, the context of a task or ticket, and what the memory holds about the last question. */
  async smart(
    caller: Caller,
    request: ModelSelection & ContextSelection & { messages: ChatMessage[]; presetId: PresetId },
    signal: AbortSignal,
  ) {
    const { presetId, messages } = request;
    const context = await this.#deps.taskContext.find(caller, request);
    const model = await this.#deps.providers.resolve(request, {
      ...usedByCaller(caller),
      taskId: context.taskId ?? undefined,
    });
    const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const recalled = await this.#deps.recall(caller.userId, question, { trustedOnly: false, signal });
    const prompt = toPrompt(
      [presets[presetId]],
      [...contextMessages(context), ...contextMessages(recalled), ...messages],
    );
    const completion = await this.#answer({ model, prompt, options: { signal } });
    const { taskId, ticketId } = context;
    return { ...completion, context: { presetId, taskId, ticketId, memory: recalled.memory } };
  }

  async #prepare(caller: Caller, request: CompletionRequest, signal: AbortSignal): Promise<Ready> {
    const { providers, conversations, compactor, taskContext } = this.#deps;
    const { conversationId, systemPrompt, temperature, maxTokens } = request;
    const conversation =
      conversationId === undefined ? undefined : await conversations.find(caller, conversationId);
    const added = [...contextMessages(await taskContext.find(caller, request)), ...request.messages];
    const model = await providers.resolve(request, { ...usedByCaller(caller), conversationId });
    const options = { temperature, maxTokens, signal };
    const own = systemPrompt === undefined ? [] : [systemPrompt];
    if (!conversation) return { model, prompt: toPrompt(own, added), options };
    const context = await taskContext.ofConversation(conversation);
    const messages = await compactor.read(model, { conversation, context }, added);
    const system = own.length > 0 ? own : [presets[conversation.preset_id as PresetId]];
    return { model, prompt: toPrompt(system, messages), options };
  }

  async #answer({ model, prompt, options }: Ready): Promise<Completion> {
    const { calls, runtime } = this.#deps;
    const startedAt = runtime.monotonic();
    const { content, finishReason, usage } = await calls.ask(model, prompt, options);
    return {
      id: runtime.newId('cmpl'),
      provider: model.provider,
      model: model.modelId,
      message: { role: 'assistant', content },
      finishReason,
      usage,
      duration: Math.round(runtime.monotonic() - startedAt),
    };
  }
}

const contextMessages = ({ text }: Pick<FoundContext, 'text'>): ChatMessage[] =>
  text === undefined ? [] : [{ role: 'user', content: text }];
