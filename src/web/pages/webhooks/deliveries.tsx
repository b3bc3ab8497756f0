import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookDelivery } from '../../../contract/webhooks.ts';
import { Empty } from '../../components/empty.tsx';
import { Item, Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { Ago } from '../../components/time.tsx';
import { deliveriesQuery } from '../../queries/webhooks.ts';
import { DeliveryDetails } from './delivery-details.tsx';
import { Outcome } from './send-test.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import styles from './webhooks.module.css';

const route = getRouteApi('/webhooks/$id');
const filters: [status: WebhookDelivery['status'] | undefined, label: string][] = [
  [undefined, 'All'],
  ['delivered', 'Delivered'],
  ['pending', 'Pending'],
  ['failed', 'Failed'],
];

/** What was sent, newest first, with each attempt. */
export function Deliveries({ id }: { id: string }) {
  const { status, delivery: openId } = route.useSearch();
  const list = useInfiniteQuery(deliveriesQuery(id, status));
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <section className={styles['deliveries']} aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <div className={styles['tabs']} role="group" aria-label="Status">
        {filters.map(([name, label]) => (
          <Link
            key={label}
            to="/webhooks/$id"
            params={{ id }}
            search={name ? { status: name } : {}}
            className="chip"
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={status === name ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </div>
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {deliveries.length > 0 && (
        <Items label="Deliveries">
          {deliveries.map((delivery) => {
            const isOpen = delivery.id === openId;
            return (
              <Item
                key={delivery.id}
                title={<code>{delivery.event}</code>}
                badge={<WebhookBadge status={delivery.status} />}
                note={
                  <>
                    <Ago at={delivery.at} /> · <Outcome delivery={delivery} />
                    {delivery.nextAttemptAt && delivery.attempt > 0 && (
                      <>
                        {' '}
                        Next attempt <Ago at={delivery.nextAttemptAt} />.
                      </>
                    )}
                  </>
                }
                actions={
                  <Link
                    to="/webhooks/$id"
                    params={{ id }}
                    search={{ ...(status && { status }), ...(!isOpen && { delivery: delivery.id }) }}
                    className="button"
                    aria-expanded={isOpen}
                    aria-label={`Details of ${delivery.event}, ${delivery.id}`}
                    resetScroll={false}
                  >
                    {isOpen ? 'Close' : 'Details'}
                  </Link>
                }
              >
                {isOpen && <DeliveryDetails delivery={delivery} />}
              </Item>
            );
          })}
        </Items>
      )}
      {list.hasNextPage && (
        <button
          type="button"
          className="button"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </button>
      )}
      {list.isSuccess && deliveries.length === 0 && (
        <Empty>
          {status
            ? `No delivery is ${status}.`
            : 'Nothing was sent yet. Send a test to see whether it arrives.'}
        </Empty>
      )}
    </section>
  );
}
