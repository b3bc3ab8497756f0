import { client } from '../../client.ts';
import { remove } from '../../components/removal.ts';
import { conversationQuery, conversationsQuery } from '../../queries/conversations.ts';
import { queryClient } from '../../queries/query-client.ts';

/** Deletes a conversation, unless that is undone. */
export const removeConversation = (id: string): void =>
  remove(id, 'Conversation deleted.', async () => {
    await client.conversations.delete({ params: { id } });
    queryClient.removeQueries({ queryKey: conversationQuery(id).queryKey });
    await queryClient.invalidateQueries({ queryKey: conversationsQuery.queryKey });
  });
