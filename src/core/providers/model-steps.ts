import type { LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai';
import type { FinishReason, TokenUsage } from '../../contract/chat.ts';
import type { Effort } from '../../contract/run-events.ts';
import { isOwnError } from '../outbound/outbound-error.ts';
import { StreamInterrupted, failCall, MAX_CALL_MS, requestCancelled } from './call-failure.ts';
import { MAX_CALLS, TooManyCalls } from './call-limit.ts';
import { costOf } from './call-cost.ts';
import type { CountedCall } from './call-counts.ts';
import { finishReasonOf, isComplete } from './finish-reason.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelCallsDeps } from './model-calls.ts';
import type { ModelFailure, ResolvedModel } from './resolved-model.ts';
import { answerParts } from './streams/answer-parts.ts';
import { RelayedModel } from './streams/relayed-model.ts';
import { type CachedTokens, toCachedTokens, toTokenUsage } from './token-usage.ts';

/** A tool as it is offered to a model. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}
export interface StepRequest {
  instructions: string;
  messages: ModelMessage[];
  tools: readonly OfferedTool[];
  /** False where the model must answer without another call. */
  mayCall: boolean;
  /** Whether the answer is streamed. */
  isStreamed: boolean;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  /** The reasoning effort, for models that support it. */
  effort?: Effort | undefined;
}

export interface CalledTool {
  id: string;
  name: string;
  args: unknown;
}
/** A streamed part of an answer. */
export type StepPart =
  | { type: 'text'; text: string }
  | { type: 'thinking-start' }
  | { type: 'thinking'; text: string }
  | { type: 'thinking-end' };
export interface StepEnd {
  text: string;
  calls: CalledTool[];
  finishReason: FinishReason;
  usage: TokenUsage;
  cached: CachedTokens;
  costUsd: number | undefined;
  /** The messages of the model, as they are sent back with the next step. */
  messages: ModelMessage[];
}

/** A step that failed. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Runs single steps of a model, which answers, calls tools, or both. The calls are not run here. */
export class ModelSteps {
  readonly #providers: ModelCallsDeps['providers'];
  readonly #longestMs: number;
  readonly #counts: ModelCallsDeps['counts'];

  constructor({ providers, longestMs = MAX_CALL_MS, counts }: ModelCallsDeps) {
    this.#providers = providers;
    this.#counts = counts;
    this.#longestMs = longestMs;
  }

  /** Streams one step; throws a `StepFailed`, or an `AppError` when the signal aborts. */
  async *take(
    resolved: ResolvedModel,
    request: StepRequest,
    signal: AbortSignal,
  ): AsyncGenerator<StepPart, StepEnd> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const consumerLeft = new AbortController();
    const count = this.#counts?.begin(resolved, {
      ...request,
      input: () => ({ instructions: request.instructions, messages: request.messages }),
    });
    const abortSignal = AbortSignal.any([signal, timeout, consumerLeft.signal]);
    try {
      const parts = request.isStreamed
        ? streamStep(resolved, request, abortSignal, count)
        : generateStep(resolved, request, abortSignal);
      for (let next = await parts.next(); ; next = await parts.next()) {
        if (next.done) {
          this.#providers.succeeded(resolved.provider);
          const { text, calls } = next.value;
          count?.end(next.value, () => ({ text, calls }));
          return next.value;
        }
        yield next.value;
      }
    } catch (error) {
      if (signal.aborted) throw requestCancelled();
      if (isOwnError(error)) throw error;
      const limits = { timeout, longestMs: this.#longestMs };
      const failure = failCall(this.#providers, resolved, error, limits);
      count?.end({ failure: failure.code });
      throw new StepFailed(failure);
    } finally {
      count?.end({ failure: 'cancelled' });
      consumerLeft.abort();
    }
  }
}

async function* generateStep(
  resolved: ResolvedModel,
  request: StepRequest,
  abortSignal: AbortSignal,
): AsyncGenerator<StepPart, StepEnd> {
  const sdk = await loadSdk();
  const result = await sdk.generateText(settings(sdk, resolved, request, abortSignal));
  const thoughts = result.finalStep.reasoningText;
  if (thoughts) {
    yield { type: 'thinking-start' };
    yield { type: 'thinking', text: thoughts };
    yield { type: 'thinking-end' };
  }
  if (result.text !== '') yield { type: 'text', text: result.text };
  return {
    text: result.text,
    calls: ownCalls(result.toolCalls),
    finishReason: finishReasonOf(result.finishReason),
    usage: toTokenUsage(result.totalUsage),
    cached: cachedOf(result.totalUsage),
    costUsd: costOf(result.finalStep.providerMetadata),
    messages: modelMessages(result.responseMessages),
  };
}

async function* streamStep(
  resolved: ResolvedModel,
  request: StepRequest,
  abortSignal: AbortSignal,
  count: CountedCall | undefined,
): AsyncGenerator<StepPart, StepEnd> {
  const sdk = await loadSdk();
  const relayed = new RelayedModel(resolved.model);
  const result = sdk.streamText({
    ...settings(sdk, { ...resolved, model: relayed.model }, request, abortSignal),
    // Errors also arrive in the stream; without this the SDK would print them.
    onError: () => undefined,
  });
  const ended = endOf(result.stream, abortSignal);
  // Awaited below, unless the step fails before.
  ended.catch(() => undefined);
  const modelRequest = await Promise.race([relayed.request, ended]);
  if ('finishReason' in modelRequest) throw new StreamInterrupted();
  count?.sent(modelRequest);
  let text = '';
  const called = { 'tool-input-start': 0, 'tool-call': 0 };
  for await (const parts of answerParts(resolved.model, modelRequest)) {
    count?.take(parts);
    for (const part of parts) {
      if (part.type === 'error') throw part.error;
      if ((part.type === 'tool-input-start' || part.type === 'tool-call') && ++called[part.type] > MAX_CALLS)
        throw new TooManyCalls();
      relayed.add(part);
      if (part.type === 'reasoning-start') yield { type: 'thinking-start' };
      if (part.type === 'reasoning-delta' && part.delta !== '') yield { type: 'thinking', text: part.delta };
      if (part.type === 'reasoning-end') yield { type: 'thinking-end' };
      if (part.type !== 'text-delta' || part.delta === '') continue;
      text += part.delta;
      yield { type: 'text', text: part.delta };
    }
  }
  relayed.end();
  const end = await ended;
  if (!isComplete(end)) throw new StreamInterrupted();
  return {
    text,
    calls: ownCalls(await result.toolCalls),
    finishReason: finishReasonOf(end.finishReason),
    usage: toTokenUsage(end.totalUsage),
    cached: cachedOf(end.totalUsage),
    costUsd: costOf((await result.finalStep).providerMetadata),
    messages: modelMessages(await result.responseMessages),
  };
}

type SdkPart = TextStreamPart<ToolSet>;
type Finish = Extract<SdkPart, { type: 'finish' }>;

/** Reads the stream of the SDK to its end, so that the SDK completes the step. */
async function endOf(stream: AsyncIterable<SdkPart>, abortSignal: AbortSignal): Promise<Finish> {
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw abortSignal.reason;
    if (part.type === 'finish') return part;
  }
  throw new StreamInterrupted();
}

function settings(
  { jsonSchema, tool }: Awaited<ReturnType<typeof loadSdk>>,
  { model, supportsReasoning }: ResolvedModel,
  { instructions, messages, tools, mayCall, temperature, maxTokens, effort }: StepRequest,
  abortSignal: AbortSignal,
) {
  const system = mayCall ? instructions : `${instructions}\n\n${noMoreCalls}`;
  const offered: ToolSet = Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
  return {
    model,
    messages,
    abortSignal,
    maxRetries: 0,
    // Tools are sent even where no call is allowed: vendors may reject earlier calls without them.
    ...(system !== '' && { instructions: system }),
    ...(tools.length > 0 && { tools: offered }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    // Vendors reject it for models without reasoning.
    ...(effort !== undefined && supportsReasoning && { reasoning: effort }),
  };
}

const cachedOf = ({ inputTokenDetails: { cacheReadTokens, cacheWriteTokens } }: LanguageModelUsage) =>
  toCachedTokens(cacheReadTokens, cacheWriteTokens);

const noMoreCalls = 'No more tool calls are possible: answer now with what you have.';

/** The calls that we run; a vendor runs its own tools, such as its web search. */
const ownCalls = (
  calls: readonly {
    toolCallId: string;
    toolName: string;
    input: unknown;
    providerExecuted?: boolean | undefined;
  }[],
): CalledTool[] =>
  calls
    .filter(({ providerExecuted }) => providerExecuted !== true)
    .map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, args: input ?? {} }));

/** The messages of the model only: the SDK adds tool results of its own for calls that it cannot parse. */
const modelMessages = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.filter(({ role }) => role === 'assistant');
