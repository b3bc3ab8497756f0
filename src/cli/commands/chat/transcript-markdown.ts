import type { Conversation, ConversationMessage, ToolCall } from '../../../contract/conversations.ts';

/** Characters of a tool result in a transcript; JSON has the whole of it. */
const MAX_RESULT = 2000;

/** A conversation as Markdown; `calls` says how much of the tool calls it shows. */
export function transcriptMarkdown(
  { id, title, cwd, agent, createdAt }: Conversation,
  messages: readonly ConversationMessage[],
  { calls }: { calls: 'line' | 'whole' },
): string {
  const facts = [
    `Conversation ${id}, begun ${createdAt}`,
    ...(cwd === undefined ? [] : [`Directory ${cwd}`]),
    ...(agent === undefined ? [] : [`Agent ${agent}`]),
  ];
  const head = `# ${title}\n\n${facts.join('  \n')}\n`;
  return [head, ...messages.map((message) => messageMarkdown(message, calls))].join('\n');
}

function messageMarkdown(message: ConversationMessage, calls: 'line' | 'whole'): string {
  const { role, model, content, toolCalls = [], status, error, finishReason } = message;
  const name =
    role === 'user'
      ? 'You'
      : role === 'system'
        ? 'System'
        : `Assistant${model === undefined ? '' : ` (${model})`}`;
  const notes = [
    status === 'waiting' ? 'Waits for an approval.' : undefined,
    status === 'interrupted' || status === 'failed'
      ? `${status === 'failed' ? 'Failed' : 'Interrupted'}${error === undefined ? '' : `: ${error.message}`}.`
      : undefined,
    finishReason === 'max_round_trips' ? 'Ended at the limit of tool round trips.' : undefined,
  ];
  const parts = [
    ...toolCalls.map((call) => callMarkdown(call, calls)),
    content.trim(),
    ...notes.map((note) => (note === undefined ? '' : `_${note}_`)),
  ];
  return `## ${name}\n\n${parts.filter(Boolean).join('\n\n')}\n`;
}

function callMarkdown({ name, arguments: args, result, status }: ToolCall, calls: 'line' | 'whole'): string {
  const line = `- ${status === 'success' ? '✓' : '✗'} ${code(`${name} ${JSON.stringify(args)}`)}`;
  if (calls === 'line') return line;
  const cut = result.length > MAX_RESULT;
  const shown = cut
    ? `${result.slice(0, MAX_RESULT).toWellFormed()}\n… ${result.length - MAX_RESULT} more characters`
    : result;
  const fence = '`'.repeat(Math.max(3, longestTicks(shown) + 1));
  return `${line}\n\n${fence}\n${shown}\n${fence}`;
}

/** Inline code, however many backticks the text has. */
function code(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1);
  const gap = ticks.length > 1 ? ' ' : '';
  return `${ticks}${gap}${text.replaceAll(/\s+/g, ' ')}${gap}${ticks}`;
}

const longestTicks = (text: string): number =>
  Math.max(0, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
