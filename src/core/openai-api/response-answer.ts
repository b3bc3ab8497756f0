import type { OpenAiResponse, ResponseOutputItem, ResponseRequest } from '../../contract/openai/responses.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { WholeAnswer } from '../providers/model-calls.ts';
import { partsOf, toUsage } from './answer-fields.ts';
import type { AnswerHead } from './chat-answer.ts';

type NewId = (prefix: string) => string;
export type MessageItem = Extract<ResponseOutputItem, { type: 'message' }>;
export type CallItem = Extract<ResponseOutputItem, { type: 'function_call' }>;

/** A response that has only begun. */
export function toOpenResponse({ id, created, model }: AnswerHead, request: ResponseRequest): OpenAiResponse {
  return {
    id,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
    store: false,
    temperature: request.temperature ?? null,
    text: { format: { ...(request.text?.format ?? { type: 'text' }) } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map((tool) => ({ ...tool, strict: tool.strict ?? false })),
    top_p: request.top_p ?? null,
    truncation: 'disabled',
    usage: null,
  };
}

/** The response at its end. */
export function toEndedResponse(
  open: OpenAiResponse,
  end: AnswerEnd,
  output: ResponseOutputItem[],
): OpenAiResponse {
  const usage = toUsage(end);
  const reason = incompleteReason(end);
  return {
    ...open,
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    output,
    usage: usage
      ? {
          input_tokens: usage.prompt_tokens,
          input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
          output_tokens: usage.completion_tokens,
          output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
          total_tokens: usage.total_tokens,
        }
      : null,
  };
}

export function toResponse(
  head: AnswerHead,
  request: ResponseRequest,
  answer: WholeAnswer,
  newId: NewId,
): OpenAiResponse {
  const { text, calls } = partsOf(answer);
  const output: ResponseOutputItem[] =
    text === '' && calls.length > 0 ? [] : [messageItem(newId('msg'), text)];
  for (const { id, function: called } of calls) output.push(callItem(newId('fc'), id, called));
  return toEndedResponse(toOpenResponse(head, request), answer, output);
}

export const outputText = (text: string): MessageItem['content'][number] => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
});

export const messageItem = (id: string, text: string): MessageItem => ({
  type: 'message',
  id,
  status: 'completed',
  role: 'assistant',
  content: [outputText(text)],
});

export const callItem = (
  id: string,
  callId: string,
  { name, arguments: json }: { name: string; arguments: string },
): CallItem => ({ type: 'function_call', id, status: 'completed', call_id: callId, name, arguments: json });

function incompleteReason({ finishReason }: AnswerEnd): 'max_output_tokens' | 'content_filter' | undefined {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : undefined;
}
