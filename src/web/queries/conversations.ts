import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The feed says nothing of conversations of which no turn is open here, so a visible list is read again this often. */
const LIST_MS = 10_000;
const PAGE = 50;

/** One's own conversations, last used first, page by page. */
export const conversationsQuery = infiniteQueryOptions({
  queryKey: ['conversations'],
  initialPageParam: 0,
  queryFn: ({ pageParam: offset }) =>
    client.conversations.list({ query: { mine: true, limit: PAGE, offset } }),
  getNextPageParam: ({ total, offset, limit }) => (offset + limit < total ? offset + limit : undefined),
  refetchInterval: LIST_MS,
});

/** A conversation with its messages and the turn that is not finished. */
export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversation', id],
    queryFn: () => client.conversations.get({ params: { id } }),
  });

/** The models that can answer; none while no provider is set up. */
export const chatModelsQuery = queryOptions({
  queryKey: ['chat-models'],
  queryFn: () => client.chat.listModels(),
});

/** The coding agents that can answer instead of a model. */
export const chatAgentsQuery = queryOptions({
  queryKey: ['chat-agents'],
  queryFn: async () => {
    const { agents } = await client.agents.list();
    return agents.filter(({ driver }) => driver !== undefined);
  },
});

/** The files that the last turn changed, as far as they are known; each call may have changed some. */
export const turnChangesQuery = (id: string, calls: number) =>
  queryOptions({
    queryKey: ['conversation', id, 'changes', calls],
    enabled: calls > 0,
    queryFn: () => client.conversations.getChanges({ params: { id } }),
  });
