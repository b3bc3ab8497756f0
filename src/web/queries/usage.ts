import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { UsageGroup } from '../../contract/usage.ts';
import { client } from '../client.ts';

/** Days change slowly. */
const REFRESH_MS = 15_000;

/** The first day of a period of so many days that ends today (UTC). */
export const firstDay = (days: number, now = Date.now()): string =>
  new Date(now - (days - 1) * 86_400_000).toISOString().slice(0, 10);

/** What models used, the most expensive first; days in order. */
export const usageQuery = (by: UsageGroup, days: number) =>
  queryOptions({
    queryKey: ['usage', by, days],
    queryFn: () => client.usage.list({ query: { by, from: firstDay(days), limit: by === 'day' ? 500 : 50 } }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** The budgets and how much of each is used. */
export const budgetsQuery = queryOptions({
  queryKey: ['usage', 'budgets'],
  queryFn: () => client.usage.listBudgets(),
  refetchInterval: REFRESH_MS,
});
