import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** Of each kind of item; more than one looks at. */
const MOST = 50;
/** The feed says nothing of agents, providers and webhooks. */
const EVERY_MS = 60_000;

/** What waits for the reader, what is running and what was completed since their midnight. */
export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: () => {
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    return client.inbox.get({ query: { since: midnight.toISOString(), limit: MOST } });
  },
  refetchInterval: EVERY_MS,
});
