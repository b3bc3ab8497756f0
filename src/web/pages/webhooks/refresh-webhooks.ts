import { queryClient } from '../../queries/query-client.ts';
import { webhooksQuery } from '../../queries/webhooks.ts';

/** Reads the webhooks and their deliveries again. */
export const refreshWebhooks = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
