import type { ChatCompletion, ChatCompletionRequest } from '../../contract/openai/chat-completions.ts';
import type { OpenAiResponse, ResponseRequest } from '../../contract/openai/responses.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { WholeAnswer } from '../providers/model-calls.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { Runtime } from '../runtime.ts';
import type { AgentModels } from './agent-models.ts';
import { type AnswerHead, toChatCompletion } from './chat-answer.ts';
import { ChatFrames } from './chat-frames.ts';
import { toChatCall } from './chat-request.ts';
import { toResponse } from './response-answer.ts';
import { ResponseFrames } from './response-frames.ts';
import { toResponseCall } from './response-request.ts';
import type { OpenAnswer, RoutedCalls } from './routed-calls.ts';
import type { Spending } from './spending.ts';
import { type Frames, writeFrames } from './write-frames.ts';

export interface AnswerDeps {
  calls: RoutedCalls;
  agents: AgentModels;
  spending: Pick<Spending, 'admit'>;
  runtime: Pick<Runtime, 'now' | 'newId'>;
  reportBug: (error: unknown) => void;
}

/** Answers of models and agents in the two forms of OpenAI: chat completions and responses. */
export class OpenAiApi {
  readonly #deps: AnswerDeps;
  constructor(deps: AnswerDeps) {
    this.#deps = deps;
  }

  async complete(
    caller: Caller,
    request: ChatCompletionRequest,
    signal: AbortSignal,
  ): Promise<ChatCompletion> {
    const { model, answer } = await this.#answer(caller, request.model, toChatCall(request), signal);
    return toChatCompletion(this.#head('chatcmpl', model), answer);
  }

  /** Server-sent events as text; resolves when the answer begins, and a failure before that is thrown. */
  async streamCompletion(
    caller: Caller,
    request: ChatCompletionRequest,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<string>> {
    const open = await this.#open(caller, request.model, toChatCall(request), signal);
    return this.#write(new ChatFrames(this.#head('chatcmpl', open.model), request), open, signal);
  }

  async respond(caller: Caller, request: ResponseRequest, signal: AbortSignal): Promise<OpenAiResponse> {
    const { model, answer } = await this.#answer(caller, request.model, toResponseCall(request), signal);
    return toResponse(this.#head('resp', model), request, answer, this.#newId);
  }

  /** The same as a stream, like `streamCompletion`. */
  async streamResponse(
    caller: Caller,
    request: ResponseRequest,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<string>> {
    const open = await this.#open(caller, request.model, toResponseCall(request), signal);
    const frames = new ResponseFrames(this.#head('resp', open.model), request, this.#newId);
    return this.#write(frames, open, signal);
  }

  async #answer(
    caller: Caller,
    model: string,
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<{ model: string; answer: WholeAnswer }> {
    const { agents, calls, spending } = this.#deps;
    if (!agents.isAgent(model)) return calls.answer(caller, model, request, signal);
    await spending.admit(caller);
    return { model, answer: await agents.answer(caller, model, request, signal) };
  }

  async #open(caller: Caller, model: string, request: CallRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const { agents, calls, spending } = this.#deps;
    if (!agents.isAgent(model)) return calls.open(caller, model, request, signal);
    await spending.admit(caller);
    return agents.open(caller, model, request, signal);
  }

  #write(frames: Frames, open: OpenAnswer, signal: AbortSignal): AsyncGenerator<string> {
    return writeFrames(frames, open.parts, {
      signal,
      expect: (error) => {
        if (error instanceof AppError) return error;
        this.#deps.reportBug(error);
        return new AppError('configuration', 'Internal server error');
      },
    });
  }

  #head(prefix: string, model: string): AnswerHead {
    const created = Math.floor(this.#deps.runtime.now().getTime() / 1000);
    return { id: this.#newId(prefix), created, model };
  }

  readonly #newId = (prefix: string): string => this.#deps.runtime.newId(prefix);
}
