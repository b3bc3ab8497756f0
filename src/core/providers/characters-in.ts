import type { CallRequest } from './model-request.ts';

/** How many characters of text a request has. */
export function charactersIn(request: CallRequest | string): number {
  if (typeof request === 'string') return request.length;
  let characters = 0;
  for (const { content } of request.prompt) {
    if (typeof content === 'string') characters += content.length;
    else
      for (const part of content) {
        if (part.type === 'text') characters += part.text.length;
        if (part.type === 'tool-result' && part.output.type === 'text')
          characters += part.output.value.length;
      }
  }
  return characters;
}
