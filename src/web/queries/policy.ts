import { queryOptions } from '@tanstack/react-query';
import type { Policy } from '../../contract/policy.ts';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';

/** Which tools run, and which are asked for; for administrators. */
export const policyQuery = queryOptions({ queryKey: ['policy'], queryFn: () => client.policy.get() });

/** The tools and the MCP servers that bring some of them. */
export const toolsQuery = queryOptions({ queryKey: ['tools'], queryFn: () => client.tools.list() });

export const guardsQuery = queryOptions({
  queryKey: ['guards'],
  queryFn: () => client.guards.list().then(({ guards }) => guards),
});

/** Changes the named parts of the policy. */
export async function changePolicy(patch: Partial<Policy>): Promise<void> {
  queryClient.setQueryData(policyQuery.queryKey, await client.policy.update({ body: patch }));
}
