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

/** Some providers say `other` where the vendor's stream ended without a reason. */
export const isWhole = (end: { finishReason: SdkFinishReason; rawFinishReason: string | undefined }) =>
  end.finishReason !== 'interrupted' && !(end.finishReason === 'other' && end.rawFinishReason === undefined);
