import { ApiError, type Client } from '../../../contract/client.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { findConversation } from '../../commands/chat/choose-conversation.ts';
import type { ChatEvent } from './chat-state.ts';
import { entriesOfMessages } from './entries-of-messages.ts';

/** What the daemon tells of a conversation. */
export type ConversationAnswer = Awaited<ReturnType<Client['conversations']['get']>>;

/** A conversation with all its messages, by ID or ID prefix. */
export async function findAndLoad(client: Client, text: string): Promise<ConversationAnswer> {
  const id = await findConversation(client, text);
  return client.conversations.get({ params: { id } });
}

/** The event that shows a conversation. */
export const openedEvent = ({
  conversation,
  messages,
  pendingApprovals,
}: ConversationAnswer): Extract<ChatEvent, { kind: 'opened' }> => ({
  kind: 'opened',
  conversation,
  entries: entriesOfMessages(messages),
  approvals: pendingApprovals,
});

/** What will answer unless something else is chosen. */
export async function loadDefaults(client: Client): Promise<Extract<ChatEvent, { kind: 'ready' }>> {
  const [{ default: chosen, providers }, defaultMode] = await Promise.all([
    client.providers.list(),
    loadDefaultMode(client),
  ]);
  const usable = providers.filter(({ configured, enabled }) => configured && enabled);
  const provider = providers.find(({ type }) => type === chosen?.provider);
  const defaultModel = chosen?.model ?? provider?.defaultModel ?? chosen?.provider;
  return { kind: 'ready', defaultModel, defaultMode, isWithoutProvider: usable.length === 0 };
}

/** The mode of the policy; undefined for callers who may not read it. */
async function loadDefaultMode(client: Client): Promise<SecurityMode | undefined> {
  try {
    return (await client.policy.get()).defaultMode;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
