import type {
  AnsweredToolCall,
  OpenAiFinishReason,
  OpenAiUsage,
} from '../../contract/openai/chat-completions.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { WholeAnswer } from '../providers/model-calls.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';

type CallPart = Extract<AnswerPart, { type: 'tool-call' }>;

/** The usage as OpenAI reports it; undefined where the provider does not report both counts. */
export function toUsage({ usage, cached, reasoningTokens }: AnswerEnd): OpenAiUsage | undefined {
  const { promptTokens, completionTokens } = usage;
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cached.read !== undefined && { prompt_tokens_details: { cached_tokens: cached.read } }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}

/** Some vendors say `stop` where the model calls tools. */
export function toFinishReason({ finishReason }: AnswerEnd, hasCalls: boolean): OpenAiFinishReason {
  if (finishReason === 'length' || finishReason === 'content_filter') return finishReason;
  return hasCalls ? 'tool_calls' : 'stop';
}

/** A call that the caller has to run; a vendor runs its own tools. */
export const isOwnCall = (part: { type: string; providerExecuted?: boolean | undefined }): boolean =>
  part.type === 'tool-call' && part.providerExecuted !== true;

export function toToolCall({ toolCallId, toolName, input, providerMetadata }: CallPart): AnsweredToolCall {
  const signature = providerMetadata?.['google']?.['thoughtSignature'];
  return {
    id: toolCallId,
    type: 'function',
    function: { name: toolName, arguments: input },
    ...(typeof signature === 'string' && { extra_content: { google: { thought_signature: signature } } }),
  };
}

/** The text, the thoughts and the calls of a whole answer. */
export function partsOf({ content }: WholeAnswer) {
  const joined = (type: 'text' | 'reasoning') =>
    content.map((part) => (part.type === type ? part.text : '')).join('');
  return {
    text: joined('text'),
    thoughts: joined('reasoning'),
    calls: content.filter((part): part is CallPart => isOwnCall(part)).map(toToolCall),
  };
}
