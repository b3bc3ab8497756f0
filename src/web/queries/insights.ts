import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** Numbers of days change slowly, and to read them at every change of a task would cost more than they tell. */
const REFRESH_MS = 15_000;

/** The numbers about the tasks of the last days. */
export const analyticsQuery = (days: number) =>
  queryOptions({
    queryKey: ['insights', 'tasks', days],
    queryFn: () => client.tasks.getAnalytics({ query: { days } }),
    refetchInterval: REFRESH_MS,
  });

/** How the API of the daemon does since it started. */
export const metricsQuery = queryOptions({
  queryKey: ['insights', 'api'],
  queryFn: () => client.health.getMetrics(),
  refetchInterval: REFRESH_MS,
});
