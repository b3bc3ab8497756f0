import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The agents, with what each of them lacks. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: () => client.agents.list().then(({ agents }) => agents),
});

/** One agent with its settings, checked again. */
export const agentQuery = (type: string) =>
  queryOptions({
    queryKey: ['agents', 'one', type],
    queryFn: () => client.agents.get({ params: { type } }).then(({ agent }) => agent),
  });

/** What a sandbox shows to an agent; to the commands of tools where none is named. For administrators. */
export const sandboxQuery = (agent: string | undefined) =>
  queryOptions({
    queryKey: ['agents', 'sandbox', agent ?? ''],
    queryFn: () =>
      client.sandbox.explain({ query: agent === undefined ? {} : { agent } }).then(({ sandbox }) => sandbox),
  });

/** The names of the agents, which asks none of them how it is. */
export const agentTypesQuery = queryOptions({
  queryKey: ['agents', 'types'],
  queryFn: () => client.agents.listTypes().then(({ types }) => types),
});
