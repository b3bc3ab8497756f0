import type { A2aMessage, A2aPart } from '../../contract/a2a-messages.ts';
import { createTaskSchema } from '../../contract/task.ts';
import { A2aError } from './a2a-error.ts';

/** The prompt that the parts of a message make: texts, and data as JSON. Other media are refused. */
export function promptOfMessage({ parts }: A2aMessage): string {
  const text = parts.map(textOfPart).join('\n\n').trim();
  if (text === '') throw invalid('The message has no text');
  if (text.length > MAX_PROMPT) throw invalid(`The message is longer than ${MAX_PROMPT} characters`);
  return text;
}

const MAX_PROMPT = createTaskSchema.shape.prompt.unwrap().maxLength ?? 200_000;

const invalid = (message: string) =>
  new A2aError('invalidParams', undefined, [{ path: 'message.parts', message }]);

function textOfPart({ text, data, mediaType = '' }: A2aPart): string {
  if (text !== undefined && (mediaType === '' || mediaType.startsWith('text/'))) return text;
  if (data !== undefined) return JSON.stringify(data, null, 2);
  throw new A2aError('contentTypeNotSupported');
}
