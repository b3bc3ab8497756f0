import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The keys that sign the decisions of the person. */
export const signingKeysQuery = queryOptions({
  queryKey: ['signing-keys'],
  queryFn: () => client.keys.list().then(({ keys }) => keys),
});
