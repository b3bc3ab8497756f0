import type { RunEventInput } from '../../../contract/run-events.ts';
import type { AgentResult } from '../../agents/agent-adapter.ts';
import { usageColumns } from '../conversation-service.ts';
import type { FinishedRun } from '../recall/task-lessons.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import { costOfRun, knownCost } from './run-budget.ts';
import { refusedCallsOf } from './refused-calls.ts';
import { type RunState, usageOf } from './run-state.ts';
import { closeOpenCalls, type TurnEnd } from './turn-end.ts';

/** What an answer says of who made it. */
export type AnsweringModel = Pick<ResolvedModel, 'provider' | 'modelId'> &
  Partial<Pick<ResolvedModel, 'contextWindow'>>;

/** The columns of the message that stores the answer of a run, as far as it got. */
export function answerOf(
  state: RunState,
  { provider, modelId, contextWindow }: AnsweringModel,
  { status, error }: TurnEnd,
) {
  if (status === 'interrupted' || status === 'failed') closeOpenCalls(state);
  const { calls, steps, partial, text, lastPrompt, finishReason } = state;
  return {
    role: 'assistant',
    content: status !== 'completed' && partial?.trim() ? partial : text,
    provider,
    model: modelId,
    tool_calls: calls.length > 0 ? JSON.stringify(calls) : null,
    steps: steps && calls.length > 0 ? JSON.stringify(steps) : null,
    status,
    error: error ? JSON.stringify(error) : null,
    finish_reason: status === 'completed' ? finishReason : null,
    cost_usd: knownCost(state) ?? null,
    context_tokens: lastPrompt?.counted ?? null,
    context_window: lastPrompt && contextWindow !== undefined ? contextWindow : null,
    ...usageColumns(usageOf(state)),
  };
}

/** The `complete` event of a run, without the figures that the vendor did not count. */
export function completeEvent(state: RunState, { provider, modelId }: AnsweringModel): RunEventInput {
  const { promptTokens, completionTokens, totalTokens } = usageOf(state);
  const refusedCalls = refusedCallsOf(state);
  return {
    type: 'complete',
    data: {
      ...(totalTokens !== undefined && { totalTokens }),
      ...(promptTokens !== undefined && { inputTokens: promptTokens }),
      ...(completionTokens !== undefined && { outputTokens: completionTokens }),
      model: modelId,
      provider,
      toolCalls: state.calls.length,
      ...(refusedCalls && { refusedCalls }),
      ...(state.finishReason === 'max_round_trips' && {
        finishReason: state.finishReason,
        maxRoundTrips: state.step - 1,
      }),
    },
  };
}

/** The result of the task of a run, without the figures that the vendor did not count. */
export function resultOf(state: RunState, model: ResolvedModel): AgentResult {
  const { promptTokens, completionTokens, totalTokens } = usageOf(state);
  const refusedCalls = refusedCallsOf(state);
  const cost = costOfRun(state);
  // A run that failed in its first step has counted nothing yet.
  const isCounted =
    promptTokens !== undefined &&
    completionTokens !== undefined &&
    totalTokens !== undefined &&
    totalTokens > 0;
  return {
    output: state.text,
    model: model.modelId,
    ...(cost !== undefined && { cost }),
    ...(refusedCalls && { refusedCalls }),
    ...(isCounted && {
      usage: { inputTokens: promptTokens, outputTokens: completionTokens, totalTokens },
    }),
  };
}

/** What may be learned from a run once its task is completed. */
export const toFinishedRun = (state: RunState, conversationId?: string): FinishedRun => {
  const { text, calls, recalled = [], isTainted = true } = state;
  const hasRefusals = refusedCallsOf(state) !== undefined;
  return { answer: text, calls, recalled, isTainted, hasRefusals, conversationId };
};
