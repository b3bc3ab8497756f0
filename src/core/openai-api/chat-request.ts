import type {
  ChatCompletionMessage,
  ChatCompletionRequest,
  ChatUserPart,
} from '../../contract/openai/chat-completions.ts';
import type { CallRequest, VendorMessage } from '../providers/model-request.ts';
import { type CallSettings, toCallSettings } from './call-settings.ts';
import { filePart } from './file-parts.ts';
import { PromptBuilder } from './prompt-builder.ts';

type UserPart = Extract<VendorMessage, { role: 'user' }>['content'][number];

/** The request for a model that a chat completion asks for; throws an `AppError` that names the field at fault. */
export function toChatCall(request: ChatCompletionRequest): CallRequest {
  const { max_completion_tokens, max_tokens, stop, response_format: format, tools, tool_choice } = request;
  return {
    prompt: toPrompt(request.messages),
    ...toCallSettings({
      temperature: request.temperature,
      topP: request.top_p,
      maxTokens: max_completion_tokens ?? max_tokens,
      stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
      seed: request.seed,
      frequencyPenalty: request.frequency_penalty,
      presencePenalty: request.presence_penalty,
      effort: request.reasoning_effort,
      tools: tools?.map((tool) => tool.function),
      toolChoice: typeof tool_choice === 'object' ? tool_choice?.function : tool_choice,
      parallelCalls: request.parallel_tool_calls,
      format: formatOf(format),
    }),
  };
}

function formatOf(format: ChatCompletionRequest['response_format']): CallSettings['format'] {
  if (!format || format.type === 'text') return undefined;
  return format.type === 'json_object' ? 'json' : format.json_schema;
}

function toPrompt(messages: readonly ChatCompletionMessage[]): VendorMessage[] {
  const prompt = new PromptBuilder();
  for (const [at, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
      case 'developer':
        prompt.system(joined(message.content));
        break;
      case 'user':
        prompt.user(
          typeof message.content === 'string'
            ? [{ type: 'text', text: message.content }]
            : message.content.map(toUserPart),
        );
        break;
      case 'assistant':
        prompt.assistant(
          textsOf(message.content ?? message.refusal ?? ''),
          (message.tool_calls ?? []).map(({ id, function: called, extra_content: extra }) => ({
            id,
            ...called,
            thoughtSignature: extra?.google?.thought_signature,
          })),
        );
        break;
      case 'tool':
        prompt.result(message.tool_call_id, joined(message.content), `messages.${at}.tool_call_id`);
    }
  }
  return prompt.build('messages');
}

function toUserPart(part: ChatUserPart): UserPart {
  switch (part.type) {
    case 'text':
      return part;
    case 'image_url':
      return filePart(part.image_url.url, 'image/*');
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return {
        type: 'file',
        mediaType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav',
        data: { type: 'data', data },
      };
    }
    case 'file':
      return filePart(part.file.file_data, 'application/pdf', part.file.filename ?? undefined);
  }
}

type Texts = string | readonly ({ type: 'text'; text: string } | { type: 'refusal'; refusal: string })[];

const textsOf = (content: Texts): string[] =>
  typeof content === 'string'
    ? [content]
    : content.map((part) => (part.type === 'text' ? part.text : part.refusal));

const joined = (content: Texts): string => textsOf(content).join('');
