import type { RunEventInput } from '../../../contract/run-events.ts';
import type { AgentResult } from '../../agents/agent-adapter.ts';
import { usageColumns } from '../conversation-service.ts';
import type { FinishedRun } from '../recall/task-lessons.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import { type RunState, usageOf } from './run-state.ts';

/** The columns of the message that stores the answer of a run. */
export const answerOf = (state: RunState, { provider, modelId }: ResolvedModel) => ({
  role: 'assistant',
  content: state.text,
  provider,
  model: modelId,
  tool_calls: state.calls.length > 0 ? JSON.stringify(state.calls) : null,
  ...usageColumns(usageOf(state)),
});

/** The `complete` event of a run, without the figures that the vendor did not count. */
export function completeEvent(state: RunState, { provider, modelId }: ResolvedModel): RunEventInput {
  const { promptTokens, completionTokens, totalTokens } = usageOf(state);
  return {
    type: 'complete',
    data: {
      ...(totalTokens !== undefined && { totalTokens }),
      ...(promptTokens !== undefined && { inputTokens: promptTokens }),
      ...(completionTokens !== undefined && { outputTokens: completionTokens }),
      model: modelId,
      provider,
      toolCalls: state.calls.length,
    },
  };
}

/** The result of the task of a run, without the figures that the vendor did not count. */
export function resultOf(state: RunState, model: ResolvedModel): AgentResult {
  const { promptTokens, completionTokens, totalTokens } = usageOf(state);
  const isCounted = promptTokens !== undefined && completionTokens !== undefined && totalTokens !== undefined;
  return {
    output: state.text,
    model: model.modelId,
    ...(isCounted && {
      usage: { inputTokens: promptTokens, outputTokens: completionTokens, totalTokens },
    }),
  };
}

/** What may be learned from a run once its task is completed. */
export const toFinishedRun = (
  { text, calls, recalled = [], isTainted = true }: RunState,
  conversationId?: string,
): FinishedRun => ({ answer: text, calls, recalled, isTainted, conversationId });
