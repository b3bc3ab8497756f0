import type { A2aMessage, A2aPart } from '../../contract/a2a-messages.ts';
import { A2aError } from './a2a-error.ts';

/** The prompt that the parts of a message make: texts, and data as JSON. Other media are refused. */
export function promptOfMessage({ parts }: A2aMessage): string {
  const text = parts.map(textOfPart).join('\n\n').trim();
  if (text === '')
    throw new A2aError('invalidParams', undefined, [
      { path: 'message.parts', message: 'The message has no text' },
    ]);
  return text;
}

function textOfPart({ text, data, mediaType = '' }: A2aPart): string {
  if (text !== undefined && (mediaType === '' || mediaType.startsWith('text/'))) return text;
  if (data !== undefined) return JSON.stringify(data, null, 2);
  throw new A2aError('contentTypeNotSupported');
}
