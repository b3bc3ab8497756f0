import type { ResponseContentPart, ResponseItem, ResponseRequest } from '../../contract/openai/responses.ts';
import type { CallRequest, VendorMessage } from '../providers/model-request.ts';
import { type CallSettings, toCallSettings } from './call-settings.ts';
import { filePart } from './file-parts.ts';
import { PromptBuilder } from './prompt-builder.ts';
import { requestRefused } from './request-refused.ts';

type UserPart = Extract<VendorMessage, { role: 'user' }>['content'][number];

/** The request for a model that a response asks for; throws an `AppError` that names the field at fault. */
export function toResponseCall(request: ResponseRequest): CallRequest {
  const prompt = new PromptBuilder();
  prompt.system(request.instructions ?? '');
  if (typeof request.input === 'string') prompt.user([{ type: 'text', text: request.input }]);
  else for (const [at, item] of request.input.entries()) addItem(prompt, item, `input.${at}`);
  const { tool_choice: choice } = request;
  return {
    prompt: prompt.build('input'),
    ...toCallSettings({
      temperature: request.temperature,
      topP: request.top_p,
      maxTokens: request.max_output_tokens,
      effort: request.reasoning?.effort,
      tools: request.tools,
      toolChoice: choice,
      parallelCalls: request.parallel_tool_calls,
      format: formatOf(request.text),
    }),
  };
}

function formatOf(text: ResponseRequest['text']): CallSettings['format'] {
  const format = text?.format;
  if (!format || format.type === 'text') return undefined;
  return format.type === 'json_object' ? 'json' : format;
}

function addItem(prompt: PromptBuilder, item: ResponseItem, path: string): void {
  if (item.type === 'function_call') {
    const { call_id: id, name, arguments: json } = item;
    prompt.assistant([], [{ id, name, arguments: json }]);
  } else if (item.type === 'function_call_output') {
    const { output } = item;
    const text = typeof output === 'string' ? output : output.map((part) => part.text).join('');
    prompt.result(item.call_id, text, `${path}.call_id`);
  } else if (item.type !== 'reasoning') {
    const parts =
      typeof item.content === 'string' ? [{ type: 'input_text' as const, text: item.content }] : item.content;
    if (item.role === 'user') prompt.user(parts.map(toUserPart));
    else {
      const texts = parts.map((part) => textOf(part, path));
      if (item.role === 'assistant') prompt.assistant(texts, []);
      else prompt.system(texts.join(''));
    }
  }
}

function toUserPart(part: ResponseContentPart): UserPart {
  if (part.type === 'input_image') return filePart(part.image_url, 'image/*');
  if (part.type === 'input_file')
    return filePart(part.file_data, 'application/pdf', part.filename ?? undefined);
  return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
}

function textOf(part: ResponseContentPart, path: string): string {
  if ('text' in part) return part.text;
  if (part.type === 'refusal') return part.refusal;
  throw requestRefused(`${path}.content`, 'Only messages of the user can have images and files');
}
