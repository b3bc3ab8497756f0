import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The daemons; no event says what they run, so that they are read again while they are shown. */
export const clusterQuery = queryOptions({
  queryKey: ['cluster'],
  queryFn: () => client.cluster.get(),
  refetchInterval: 5000,
});
