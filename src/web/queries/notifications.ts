import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The notifications that were not read yet, newest first. */
export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: () => client.notifications.list({ query: { unread: true, limit: 50 } }),
});
