import { ApiError, type Client } from '../../contract/client.ts';
import type { Conversation } from '../../contract/conversations.ts';
import type { Connection } from '../connection.ts';
import { type IdSource, resolveId } from '../resolve-id.ts';

const PAGE = 500;

/** Begins a conversation whose tools work in a folder of this machine, where the caller may choose one. */
export async function beginConversation(
  { client, target }: Connection,
  folder: string,
): Promise<Conversation> {
  if (!target.isLocal) return (await client.conversations.create({ body: {} })).conversation;
  try {
    return (await client.conversations.create({ body: { cwd: folder } })).conversation;
  } catch (error) {
    // Only who may run commands chooses the folder; everybody else works in one of the conversation's own.
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    return (await client.conversations.create({ body: {} })).conversation;
  }
}

/** The id of the conversation that an id or its beginning names. */
export const findConversation = (client: Client, text: string): Promise<string> =>
  resolveId(text, conversationIds(client));

const conversationIds = ({ conversations }: Client): IdSource => ({
  prefix: 'conv_',
  noun: 'conversation',
  async *list() {
    for (let offset = 0; ; offset += PAGE) {
      const page = await conversations.list({ query: { limit: PAGE, offset } });
      for (const { id } of page.conversations) yield id;
      if (page.conversations.length < PAGE) return;
    }
  },
});
