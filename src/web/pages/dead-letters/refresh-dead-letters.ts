import { queryClient } from '../../queries/query-client.ts';

/** Reads the dead letters again, wherever they are shown. */
export const refreshDeadLetters = (): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['dead-letters'] }),
    queryClient.invalidateQueries({ queryKey: ['inbox'] }),
  ]);
