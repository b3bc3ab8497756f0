import type { ModelMessage } from 'ai';
import type { RepairOrder } from '../../agents/agent-adapter.ts';
import type { ToolCall } from '../../../contract/conversations.ts';
import type { FinishReason, TokenUsage } from '../../../contract/chat.ts';
import type { TurnStep } from '../history/turn-step.ts';

/** A tool call of the model that has no result yet. */
export interface OpenCall {
  id: string;
  name: string;
  args: unknown;
  /** Whether it may have run: after a crash its effect is unknown. */
  isBegun?: boolean;
  /** The approval that it waits for. */
  approvalId?: string;
}

/** A refused call as the state of a run holds it. */
interface RefusedCall {
  /** Equal for calls of the same tool with the same arguments. */
  key: string;
  tool: string;
  call: string;
  reason: string;
  count: number;
}

/** The state of a run, stored as JSON so that a restart can resume it. */
export interface RunState {
  messages: ModelMessage[];
  /** The position of the message that the run answers; undefined is the first. */
  request?: number;
  /** Number of steps that were started. */
  step: number;
  /** Sum over all steps; what a vendor did not count is estimated. */
  inputTokens: number;
  outputTokens: number;
  /** Tokens of the last prompt: the count of the vendor and our estimate. */
  lastPrompt?: { counted: number; estimated: number };
  /** False once a vendor left out a figure, so that the sums contain estimates. */
  isCounted: boolean;
  /** The text of the last step that had any. */
  text: string;
  finishReason: FinishReason;
  calls: ToolCall[];
  /** Where in the turn the calls were made; undefined in runs of earlier versions. */
  steps?: TurnStep[];
  /** What the model has said in the step that is not finished. */
  partial?: string;
  /** What all steps cost; undefined once a price is unknown. */
  costUsd?: number;
  /** Whether the cost of a step is unknown. */
  hasUnknownCost?: boolean;
  /** Whether the cost of a step is by estimated tokens, which only its limit goes by. */
  hasEstimatedCost?: boolean;
  /** Number of calls in the current step. */
  stepCalls: number;
  open: OpenCall[];
  /** How often it was asked to repair its work, and its answer. */
  repairs?: Partial<Record<RepairOrder['kind'], number>>;
  /** Acting calls that were refused and did not run later. */
  refused?: RefusedCall[];
  /** Number of refused calls beyond those listed. */
  refusedUnlisted?: number;
  /** Paths that calls touched and whose directories have instructions of their own. */
  touched?: string[];
  /** Ids of the experiences that were recalled when it started. */
  recalled?: string[];
  /** Whether untrusted text may have reached the run; undefined counts as tainted, because it was not checked. */
  isTainted?: boolean;
}

/** The state of a run that answers the last of the messages. */
export const newRunState = (messages: ModelMessage[]): RunState => ({
  messages,
  request: Math.max(0, messages.length - 1),
  step: 0,
  inputTokens: 0,
  outputTokens: 0,
  isCounted: true,
  text: '',
  finishReason: 'other',
  calls: [],
  steps: [],
  stepCalls: 0,
  open: [],
});

export const usedTokens = ({ inputTokens, outputTokens }: RunState): number => inputTokens + outputTokens;

/** Empty where a vendor did not count: estimates are not reported as usage. */
export const usageOf = (state: RunState): TokenUsage =>
  state.isCounted && state.step > 0
    ? {
        promptTokens: state.inputTokens,
        completionTokens: state.outputTokens,
        totalTokens: usedTokens(state),
      }
    : {};

/** The message with the result of a call, for the model. */
export function resultMessage(call: OpenCall, content: string): ModelMessage {
  return {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.name,
        output: { type: 'text', value: content },
      },
    ],
  };
}

/** Gives a run that has answered its next message. */
export function addRepair(state: RunState, { kind, message, isTainted }: RepairOrder): void {
  state.messages.push({ role: 'user', content: message });
  state.repairs = { ...state.repairs, [kind]: (state.repairs?.[kind] ?? 0) + 1 };
  if (isTainted) state.isTainted = true;
}
