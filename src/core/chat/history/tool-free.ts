import type { ModelMessage } from 'ai';

/**
 * The messages with tool calls and their results as text of the model, for a request without tools: vendors refuse the
 * parts of calls there. Messages without them stay as they are.
 */
export function withoutToolParts(messages: readonly ModelMessage[]): ModelMessage[] {
  const plain: ModelMessage[] = [];
  for (const message of messages) {
    const isOfTools = message.role === 'tool' || hasCalls(message);
    const last = plain.at(-1);
    if (!isOfTools && !(message.role === 'assistant' && last?.role === 'assistant')) plain.push(message);
    else if (last?.role === 'assistant')
      plain[plain.length - 1] = { role: 'assistant', content: joined(textOf(last), textOf(message)) };
    else plain.push({ role: 'assistant', content: textOf(message) });
  }
  return plain;
}

/** The text of a message, with its tool calls or results as text. */
export function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map(textOfPart).filter(Boolean).join('\n\n');
}

function textOfPart(part: Exclude<ModelMessage['content'], string>[number]): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'tool-call') return `[Tool call: ${part.toolName} ${JSON.stringify(part.input)}]`;
  if (part.type !== 'tool-result') return '';
  const { output } = part;
  return `[Result of ${part.toolName}]\n${'value' in output && typeof output.value === 'string' ? output.value : JSON.stringify(output)}`;
}

const hasCalls = ({ role, content }: ModelMessage): boolean =>
  role === 'assistant' && typeof content !== 'string' && content.some(({ type }) => type === 'tool-call');
const joined = (first: string, second: string): string => [first, second].filter(Boolean).join('\n\n');
