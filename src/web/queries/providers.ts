import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';

/** The model providers with what is known of them, and which is the default. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: () => client.providers.list(),
});

/** The models of a provider, as it lists them. */
export const providerModelsQuery = (type: string) =>
  queryOptions({
    queryKey: ['provider-models', type],
    queryFn: () => client.providers.listModels({ params: { type } }),
    retry: false,
  });

/** Reads again what a change of a provider concerns. */
export async function refreshProviders(): Promise<void> {
  await Promise.all(
    ['providers', 'chat-models', 'config'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  );
}
