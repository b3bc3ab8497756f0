import { client } from '../../client.ts';
import { queryClient } from '../../queries/query-client.ts';
import { sessionQuery } from '../../queries/session.ts';

/** Remembers, for this person in every browser, that svc is set up or that they do not want to be asked. */
export async function completeFirstRun(): Promise<void> {
  const { user } = await client.auth.updateMe({ body: { onboardingCompleted: true } });
  queryClient.setQueryData(sessionQuery.queryKey, (old) => (old?.authenticated ? { ...old, user } : old));
}
