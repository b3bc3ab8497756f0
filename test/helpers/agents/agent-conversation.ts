import type { ApprovalDecision } from '../../../src/contract/approvals.ts';
import type { ConversationMessage } from '../../../src/contract/conversations.ts';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import type { SecurityMode } from '../../../src/contract/security-mode.ts';
import type { TestDaemon } from '../daemon.ts';

export interface Sent {
  events: RunEvent[];
  answer: ConversationMessage;
}

export interface SendOptions {
  decide?: ApprovalDecision;
  mode?: SecurityMode;
  onEvent?: (event: RunEvent) => Promise<unknown> | void;
}

/** Sends a message to an agent as a terminal does, and answers what its stream asks. */
export async function send(
  { client }: TestDaemon,
  id: string,
  content: string,
  { decide = 'allow-once', mode = 'ask', onEvent }: SendOptions = {},
): Promise<Sent> {
  const events: RunEvent[] = [];
  const stream = client.conversations.sendMessageWithToolsStream({
    params: { id },
    body: { content, securityMode: mode },
  });
  for await (const { data: event } of stream) {
    events.push(event);
    await onEvent?.(event);
    if (event.type === 'approval:requested') {
      const { id: approvalId } = event.data.approval;
      const body = decide === 'deny' ? { decision: decide, denialReason: 'not here' } : { decision: decide };
      await client.approvals.decide({ params: { id: approvalId }, body });
    }
  }
  const { messages } = await client.conversations.get({ params: { id } });
  const answer = messages.at(-1);
  if (answer?.role !== 'assistant') throw new Error('there is no answer');
  return { events, answer };
}
