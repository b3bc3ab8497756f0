import type { Client } from '../../../contract/client.ts';
import { findConversation } from '../../commands/chat/choose-conversation.ts';
import type { ChatEvent } from './chat-state.ts';
import { entriesOfMessages } from './entries-of-messages.ts';

/** A conversation with all its messages, by ID or ID prefix. */
export async function loadConversation(
  client: Client,
  text: string,
): Promise<Extract<ChatEvent, { kind: 'opened' }>> {
  const id = await findConversation(client, text);
  const { conversation, messages, pendingApprovals } = await client.conversations.get({ params: { id } });
  return {
    kind: 'opened',
    conversation,
    entries: entriesOfMessages(messages),
    approvals: pendingApprovals,
  };
}

/** What will answer unless something else is chosen. */
export async function loadDefaults(client: Client): Promise<Extract<ChatEvent, { kind: 'ready' }>> {
  const { default: chosen, providers } = await client.providers.list();
  const usable = providers.filter(({ configured, enabled }) => configured && enabled);
  const provider = providers.find(({ type }) => type === chosen?.provider);
  const defaultModel = chosen?.model ?? provider?.defaultModel ?? chosen?.provider;
  return { kind: 'ready', defaultModel, isWithoutProvider: usable.length === 0 };
}
