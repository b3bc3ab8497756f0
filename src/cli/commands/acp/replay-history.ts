import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Client } from '../../../contract/client.ts';
import type { ConversationMessage } from '../../../contract/conversations.ts';
import { describeCall, resultContent, textContent } from './tool-calls.ts';

type Answer = Pick<Awaited<ReturnType<Client['conversations']['get']>>, 'conversation' | 'messages'>;

/** What was said in a conversation, as updates in their order. */
export function* replayHistory({ conversation, messages }: Answer): Generator<SessionUpdate> {
  for (const message of messages) yield* replayMessage(message, conversation.cwd);
}

function* replayMessage(message: ConversationMessage, cwd: string | undefined): Generator<SessionUpdate> {
  const { id, role, content, toolCalls = [], status, error } = message;
  if (role === 'user') yield chunk('user_message_chunk', content);
  if (role !== 'assistant') return;
  for (const [index, { name, arguments: args, result, status: outcome }] of toolCalls.entries())
    yield {
      sessionUpdate: 'tool_call',
      toolCallId: `${id}-${index + 1}`,
      ...describeCall(name, args, cwd),
      status: outcome === 'success' ? 'completed' : 'failed',
      content:
        outcome === 'success'
          ? resultContent({ name, args, text: result, diff: undefined, cwd })
          : textContent(result),
    };
  if (content !== '') yield chunk('agent_message_chunk', content);
  if (status === 'interrupted' || status === 'failed')
    yield chunk('agent_message_chunk', `\n\n_${error?.message ?? 'Interrupted.'}_\n\n`);
}

const chunk = (sessionUpdate: 'user_message_chunk' | 'agent_message_chunk', text: string): SessionUpdate => ({
  sessionUpdate,
  content: { type: 'text', text },
});
