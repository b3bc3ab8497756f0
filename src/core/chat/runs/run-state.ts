import type { ModelMessage } from 'ai';
import type { ToolCall } from '../../../contract/conversations.ts';
import type { FinishReason, TokenUsage } from '../../../contract/chat.ts';

/** A call that the model asked for and that has no result yet. */
export interface OpenCall {
  id: string;
  name: string;
  args: unknown;
  /** Whether it may have run: after a crash nobody can say what it did. */
  isBegun?: boolean;
  /** The approval that it waits for. */
  approvalId?: string;
}

/** How far a run is; JSON, so that it can go on after a restart. */
export interface RunState {
  messages: ModelMessage[];
  /** Steps begun. */
  step: number;
  /** Of all steps together; what a vendor did not count is estimated. */
  inputTokens: number;
  outputTokens: number;
  /** Tokens of the last prompt as the vendor counted them, with what the estimate had said. */
  lastPrompt?: { counted: number; estimated: number };
  /** False once a vendor left a figure out: the sums are then no longer what was counted. */
  isCounted: boolean;
  /** What was said in the last step that said something. */
  text: string;
  finishReason: FinishReason;
  calls: ToolCall[];
  /** How many of them the present step asked for. */
  stepCalls: number;
  open: OpenCall[];
  /** Ids of the experiences that it was told at its beginning. */
  recalled?: string[];
  /** Whether a stranger's words may have a part in it; left out where that was not looked at, so that they may. */
  heardStrangers?: boolean;
}

export const newRunState = (messages: ModelMessage[]): RunState => ({
  messages,
  step: 0,
  inputTokens: 0,
  outputTokens: 0,
  isCounted: true,
  text: '',
  finishReason: 'other',
  calls: [],
  stepCalls: 0,
  open: [],
});

export const usedTokens = ({ inputTokens, outputTokens }: RunState): number => inputTokens + outputTokens;

/** Empty where a vendor did not count: a guess is not usage. */
export const usageOf = (state: RunState): TokenUsage =>
  state.isCounted && state.step > 0
    ? {
        promptTokens: state.inputTokens,
        completionTokens: state.outputTokens,
        totalTokens: usedTokens(state),
      }
    : {};

/** The messages that tell the model what came of its calls. */
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
