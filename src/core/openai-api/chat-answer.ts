import type { ChatCompletion } from '../../contract/openai/chat-completions.ts';
import type { WholeAnswer } from '../providers/model-calls.ts';
import { partsOf, toFinishReason, toUsage } from './answer-fields.ts';

/** What identifies an answer. */
export interface AnswerHead {
  id: string;
  /** Seconds since 1970. */
  created: number;
  /** The model that answered. */
  model: string;
}

/** A whole answer as a chat completion. */
export function toChatCompletion({ id, created, model }: AnswerHead, answer: WholeAnswer): ChatCompletion {
  const { text, thoughts, calls } = partsOf(answer);
  const usage = toUsage(answer);
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          refusal: null,
          ...(thoughts !== '' && { reasoning_content: thoughts }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: toFinishReason(answer, calls.length > 0),
      },
    ],
    ...(usage && { usage }),
  };
}
