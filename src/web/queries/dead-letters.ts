import { infiniteQueryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export type DeadLetterStatus = 'pending' | 'resolved' | 'discarded' | 'all';

/** The dead letters that are read at once. */
const PAGE = 100;

/** Tasks that exhausted their attempts, newest first, page by page. */
export const deadLetterPagesQuery = (status: DeadLetterStatus) =>
  infiniteQueryOptions({
    queryKey: ['dead-letters', 'pages', status],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => client.dlq.list({ query: { status, limit: PAGE, offset } }),
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
  });
