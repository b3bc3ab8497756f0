import type { ConversationMessage } from '../../../contract/conversations.ts';
import { statusOf } from './newer-fields.ts';

const MOST_RESULT = 4_000;
const roles = { user: 'You', assistant: 'Assistant', system: 'System' } as const;

/** A conversation as a Markdown document. */
export function exportMarkdown(title: string, messages: readonly ConversationMessage[]): string {
  return [`# ${title.replaceAll('\n', ' ')}`, ...messages.map(formatMessage)].join('\n\n') + '\n';
}

function formatMessage(message: ConversationMessage): string {
  const { role, content, model, createdAt, toolCalls = [] } = message;
  const facts = [...(model === undefined ? [] : [model]), createdAt].join(' · ');
  const calls = toolCalls.map(({ name, arguments: args, result, status }) =>
    [
      `<details><summary>${status === 'success' ? '✓' : '✗'} ${name}</summary>`,
      fenced(JSON.stringify(args, null, 2), 'json'),
      fenced(result.length > MOST_RESULT ? `${result.slice(0, MOST_RESULT)}\n…` : result),
      '</details>',
    ].join('\n\n'),
  );
  const end = statusOf(message) === 'interrupted' ? ['*Interrupted.*'] : [];
  return [`## ${roles[role]}`, `*${facts}*`, ...calls, ...(content === '' ? [] : [content]), ...end].join(
    '\n\n',
  );
}

function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
