import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApiError } from '../../../contract/client.ts';
import type { InboundDelivery } from '../../../contract/inbound.ts';
import { findVendor, isVendor, wireName } from '../../../contract/vendors.ts';
import { Empty } from '../../components/empty.tsx';
import { Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { inboundQuery, inboundStatusQuery } from '../../queries/webhooks.ts';
import { WebhookTabs } from '../webhooks/webhook-tabs.tsx';
import { ConnectSources } from './connect-sources.tsx';
import { InboundFilters } from './inbound-filters.tsx';
import { InboundItem } from './inbound-item.tsx';
import { isInboundStatus } from './inbound-words.ts';

const route = getRouteApi('/webhooks/in');

/** What GitHub, Jira and Linear sent, what became of it, and how to connect them. */
export function WebhooksInPage() {
  const { from, status, delivery } = route.useSearch();
  const filter: Partial<Pick<InboundDelivery, 'provider' | 'status'>> = {
    ...(from !== undefined && isVendor(from) && { provider: wireName(from) }),
    ...(isInboundStatus(status) && { status }),
  };
  const list = useInfiniteQuery(inboundQuery(filter));
  const sources = useQuery(inboundStatusQuery);
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  const isRefused = list.error instanceof ApiError && list.error.status === 403;
  return (
    <Page title="Webhooks" isNarrow>
      <WebhookTabs />
      {!isRefused && sources.data && (
        <ConnectSources
          status={sources.data}
          isOpen={list.isSuccess && deliveries.length === 0 && !isFiltered}
        />
      )}
      {list.error && (
        <Problem error={list.error} onRetry={isRefused ? undefined : () => void list.refetch()} />
      )}
      {(isFiltered || deliveries.length > 0) && <InboundFilters />}
      {list.isPending && <Loading />}
      {deliveries.length > 0 && (
        <Items label="Incoming webhooks">
          {deliveries.map((each) => (
            <InboundItem
              key={each.id}
              delivery={each}
              vendor={findVendor(each.provider)}
              isOpen={each.id === delivery}
            />
          ))}
        </Items>
      )}
      {list.hasNextPage && (
        <p>
          <button
            type="button"
            className="button"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </button>
        </p>
      )}
      {list.isSuccess && deliveries.length === 0 && (
        <Empty>
          {isFiltered
            ? 'No webhook matches.'
            : 'Nothing has arrived yet. Connect GitHub, Jira or Linear above.'}
        </Empty>
      )}
    </Page>
  );
}
