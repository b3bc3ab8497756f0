import type { CallRequest, VendorMessage } from '../providers/model-request.ts';
import { requestRefused } from './request-refused.ts';

const speakers = { user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

export interface AgentPrompt {
  /** The last message of the user. */
  last: string;
  /** Everything: the last message alone, where there is nothing else. */
  whole: string;
  isAlone: boolean;
}

/** What a conversation asks of an agent, as one text. */
export function toAgentPrompt({ prompt }: CallRequest): AgentPrompt {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const said = prompt.flatMap((message) =>
    message.role === 'system' ? [] : [{ speaker: speakers[message.role], text: textOf(message) }],
  );
  const last = said.at(-1);
  if (last?.speaker !== 'User') throw requestRefused('messages', 'The last message must be one of the user');
  const isAlone = said.length === 1 && system.length === 0;
  if (isAlone) return { last: last.text, whole: last.text, isAlone };
  const earlier = said.slice(0, -1).map(({ speaker, text }) => `${speaker}: ${text}`);
  const history = earlier.length === 0 ? [] : ['The conversation so far:', ...earlier, 'The next message:'];
  return { last: last.text, whole: [...system, ...history, last.text].join('\n\n'), isAlone };
}

function textOf({ content }: Exclude<VendorMessage, { role: 'system' }>): string {
  const texts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'file') throw requestRefused('messages', 'Agents take text only');
    if (part.type === 'tool-call') return `(calls ${part.toolName})`;
    return part.type === 'tool-result' && part.output.type === 'text' ? part.output.value : '';
  });
  return texts.join('\n');
}
