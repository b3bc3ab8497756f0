import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InboundDelivery } from '../../contract/inbound.ts';
import type { WebhookDelivery } from '../../contract/webhooks.ts';
import { client } from '../client.ts';

/** How many deliveries are read at once. */
const PAGE = 50;
/** A delivery that is on its way is looked at again soon. */
const UNDER_WAY_MS = 2000;
const INBOUND_MS = 10_000;

/** The webhooks that svc sends to. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => client.webhooks.list().then(({ webhooks }) => webhooks),
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: () => client.webhooks.get({ params: { id } }).then(({ webhook }) => webhook),
  });

/** Where the next page begins; undefined after the last one. */
const nextOffset = ({ offset, limit, total }: { offset: number; limit: number; total: number }) =>
  offset + limit < total ? offset + limit : undefined;

/** What was sent to a webhook, newest first. */
export const deliveriesQuery = (id: string, status?: WebhookDelivery['status']) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries', status ?? 'all'],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      client.webhooks.listDeliveries({
        params: { id },
        query: { offset, limit: PAGE, ...(status && { status }) },
      }),
    getNextPageParam: nextOffset,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ deliveries }) =>
        deliveries.some((each) => each.status === 'pending' && each.attempt === 0),
      )
        ? UNDER_WAY_MS
        : false,
  });

/** What GitHub, Jira and Linear sent, newest first. */
export const inboundQuery = ({ provider, status }: Partial<Pick<InboundDelivery, 'provider' | 'status'>>) =>
  infiniteQueryOptions({
    queryKey: ['inbound', provider ?? 'all', status ?? 'all'],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      client.inbound.list({
        query: { offset, limit: PAGE, ...(provider && { provider }), ...(status && { status }) },
      }),
    getNextPageParam: nextOffset,
    // What was ignored or refused changes no task, so the live feed says nothing of it.
    refetchInterval: INBOUND_MS,
  });

/** One delivery with its body. */
export const inboundDeliveryQuery = (id: string) =>
  queryOptions({ queryKey: ['inbound', 'one', id], queryFn: () => client.inbound.get({ params: { id } }) });

/** Which of the three are set up. */
export const inboundStatusQuery = queryOptions({
  queryKey: ['inbound', 'status'],
  queryFn: () => client.integrations.getWebhooksStatus(),
});
