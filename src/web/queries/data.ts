import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** What takes disk space and how long it is kept; for administrators. */
export const usageQuery = queryOptions({
  queryKey: ['data', 'usage'],
  queryFn: () => client.data.getUsage(),
});

/** Worktrees without a task, and tasks whose worktree is gone; for administrators. */
export const orphansQuery = queryOptions({
  queryKey: ['data', 'orphans'],
  queryFn: () => client.data.getWorktreeOrphans().then(({ orphans }) => orphans),
});

/** How every part of the daemon is. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => client.health.getDetailed(),
});
