import type { Caller } from '../auth/caller.ts';
import type { ConversationRow } from '../storage/rows/conversations.ts';
import type { UsedBy } from './usage-record.ts';

/** What models use for a request of the caller. */
export const usedByCaller = ({ userId, token }: Caller): UsedBy => ({
  userId,
  ...(token && { tokenId: token.id }),
});

/** Finds which repository a directory is a checkout of. */
interface RepositoryFinder {
  of(directory: string): Promise<string | undefined>;
}

/** What models use for a message of the caller in a conversation. */
export async function usedInConversation(
  repositoryNames: RepositoryFinder,
  caller: Caller,
  { id, cwd, agent }: Pick<ConversationRow, 'id' | 'cwd' | 'agent'>,
): Promise<UsedBy> {
  const repository = cwd === null ? undefined : await repositoryNames.of(cwd);
  return {
    ...usedByCaller(caller),
    conversationId: id,
    ...(agent !== null && { agent }),
    ...(repository !== undefined && { repository }),
  };
}
