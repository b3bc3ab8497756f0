import type { FinishReason as SdkFinishReason } from 'ai';
import type { FinishReason } from '../../contract/chat.ts';

const finishReasons: Record<SdkFinishReason, FinishReason> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
  interrupted: 'error',
  other: 'other',
};

export const finishReasonOf = (reason: SdkFinishReason): FinishReason => finishReasons[reason] ?? 'other';

/** Whether an answer is complete: some providers report `other` where the stream ended without a reason. */
export const isComplete = (end: { finishReason: SdkFinishReason; rawFinishReason: string | undefined }) =>
  end.finishReason !== 'interrupted' && !(end.finishReason === 'other' && end.rawFinishReason === undefined);
