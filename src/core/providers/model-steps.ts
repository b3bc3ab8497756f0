import type { ModelMessage, ToolSet } from 'ai';
import type { FinishReason, TokenUsage } from '../../contract/chat.ts';
import type { Effort } from '../../contract/run-events.ts';
import { AppError } from '../errors.ts';
import { BrokenOff, failCall, LONGEST_CALL_MS, nobodyWaits } from './call-failure.ts';
import { costOf } from './call-cost.ts';
import { finishReasonOf, isWhole } from './finish-reason.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelCallsDeps } from './model-calls.ts';
import type { ModelFailure, ResolvedModel } from './resolved-model.ts';
import { toTokenUsage } from './token-usage.ts';

/** A tool as a model is told of it. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}
export interface StepRequest {
  instructions: string;
  messages: ModelMessage[];
  tools: readonly OfferedTool[];
  /** False where the model has to answer without another call. */
  mayCall: boolean;
  /** Whether the answer comes as it is made, or whole. */
  isStreamed: boolean;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  /** How much a model that can reason should. */
  effort?: Effort | undefined;
}

export interface CalledTool {
  id: string;
  name: string;
  args: unknown;
}
/** A part of an answer, as it comes. */
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
  costUsd: number | undefined;
  /** What the model said, in the form in which it is sent back with the next step. */
  messages: ModelMessage[];
}

/** A step that did not come to its end. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Lets a model take one step of a longer work: it says something, calls tools, or both. Nothing is run here. */
export class ModelSteps {
  readonly #providers: ModelCallsDeps['providers'];
  readonly #longestMs: number;
  readonly #metrics: ModelCallsDeps['metrics'];

  constructor({ providers, longestMs = LONGEST_CALL_MS, metrics }: ModelCallsDeps) {
    this.#providers = providers;
    this.#metrics = metrics;
    this.#longestMs = longestMs;
  }

  /** Yields what the model says while it says it; throws a `StepFailed`, or an `AppError` when the signal aborts. */
  async *take(
    resolved: ResolvedModel,
    request: StepRequest,
    signal: AbortSignal,
  ): AsyncGenerator<StepPart, StepEnd> {
    const timeout = AbortSignal.timeout(this.#longestMs);
    const left = new AbortController();
    const count = this.#metrics?.begin(resolved);
    const abortSignal = AbortSignal.any([signal, timeout, left.signal]);
    try {
      const deps = request.isStreamed
        ? streamStep(resolved, request, abortSignal)
        : wholeStep(resolved, request, abortSignal);
      for (let next = await deps.next(); ; next = await deps.next()) {
        if (next.done) {
          this.#providers.succeeded(resolved.provider);
          count?.(next.value);
          return next.value;
        }
        yield next.value;
      }
    } catch (error) {
      if (signal.aborted) throw nobodyWaits();
      if (error instanceof AppError) throw error;
      count?.();
      const limits = { timeout, longestMs: this.#longestMs };
      throw new StepFailed(failCall(this.#providers, resolved, error, limits));
    } finally {
      left.abort();
    }
  }
}

async function* wholeStep(
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
    costUsd: costOf(result.finalStep.providerMetadata),
    messages: saidBy(result.responseMessages),
  };
}

async function* streamStep(
  resolved: ResolvedModel,
  request: StepRequest,
  abortSignal: AbortSignal,
): AsyncGenerator<StepPart, StepEnd> {
  const sdk = await loadSdk();
  const result = sdk.streamText({
    ...settings(sdk, resolved, request, abortSignal),
    // It comes as a part of the stream too; without this it would also be printed.
    onError: () => undefined,
  });
  let text = '';
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw abortSignal.reason;
    if (part.type === 'reasoning-start') yield { type: 'thinking-start' };
    if (part.type === 'reasoning-delta' && part.text !== '') yield { type: 'thinking', text: part.text };
    if (part.type === 'reasoning-end') yield { type: 'thinking-end' };
    if (part.type === 'text-delta' && part.text !== '') {
      text += part.text;
      yield { type: 'text', text: part.text };
    }
    if (part.type !== 'finish') continue;
    if (!isWhole(part)) throw new BrokenOff();
    return {
      text,
      calls: ownCalls(await result.toolCalls),
      finishReason: finishReasonOf(part.finishReason),
      usage: toTokenUsage(part.totalUsage),
      costUsd: costOf((await result.finalStep).providerMetadata),
      messages: saidBy(await result.responseMessages),
    };
  }
  throw new BrokenOff();
}

function settings(
  { jsonSchema, tool }: Awaited<ReturnType<typeof loadSdk>>,
  { model, supportsReasoning }: ResolvedModel,
  { instructions, messages, tools, mayCall, temperature, maxTokens, effort }: StepRequest,
  abortSignal: AbortSignal,
) {
  const told = mayCall ? instructions : `${instructions}\n\n${noMoreCalls}`;
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
    // A vendor may refuse earlier calls without the tools, and the SDK an answer that calls when it should not.
    ...(told !== '' && { instructions: told }),
    ...(tools.length > 0 && { tools: offered }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    // A vendor refuses it for a model that cannot.
    ...(effort !== undefined && supportsReasoning && { reasoning: effort }),
  };
}

const noMoreCalls = 'No tool may be called any more: answer now with what you have.';

/** What a vendor runs itself, such as its own web search, is not ours to run. */
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

/** The results of tools are ours to add; the SDK makes some up for calls that it cannot read. */
const saidBy = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.filter(({ role }) => role === 'assistant');
