import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../contract/client.ts';

/** Called where the daemon does not know the session any more. */
const signedOut = new Set<() => void>();
export const onSignedOut = (listener: () => void): void => void signedOut.add(listener);

const noticeSignOut = (error: unknown) => {
  if (error instanceof ApiError && error.status === 401) for (const listener of signedOut) listener();
};

/** What the pages have read. The live feed says what is old. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: (failures, error) => !(error instanceof ApiError && error.status < 500) && failures < 3,
      // The feed connects again by itself and then everything is read again.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
