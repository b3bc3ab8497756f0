import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { escapeLine } from '../../../contract/escape-text.ts';
import type { Webhook } from '../../../contract/webhooks.ts';
import { counted } from '../../components/counted.ts';
import { Empty } from '../../components/empty.tsx';
import { Item, Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/remove-later.ts';
import { Ago } from '../../components/time.tsx';
import { webhooksQuery } from '../../queries/webhooks.ts';
import { AddWebhook } from './add-webhook.tsx';
import { SwitchButton } from './switch-button.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { WebhookTabs } from './webhook-tabs.tsx';

const route = getRouteApi('/webhooks');

/** The addresses to which svc sends events, and how that goes. */
export function WebhooksPage() {
  const { add } = route.useSearch();
  const navigate = useNavigate();
  const list = useQuery(webhooksQuery);
  const removed = useRemoved();
  const webhooks = list.data?.filter(({ id }) => !removed.includes(id)) ?? [];
  return (
    <Page
      title="Webhooks"
      isNarrow
      actions={
        <Link to="/webhooks" search={{ add: true }} className="button primary">
          Add webhook
        </Link>
      }
    >
      <WebhookTabs />
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {webhooks.length > 0 && (
        <Items label="Webhooks">
          {webhooks.map((webhook) => (
            <Item
              key={webhook.id}
              title={
                <Link to="/webhooks/$id" params={{ id: webhook.id }}>
                  {escapeLine(webhook.description ?? webhook.url)}
                </Link>
              }
              badge={<WebhookBadge status={webhook.status} />}
              note={<Health webhook={webhook} />}
              actions={<SwitchButton webhook={webhook} />}
            />
          ))}
        </Items>
      )}
      {list.isSuccess && webhooks.length === 0 && (
        <Empty>
          <span>
            A webhook sends events of your tasks to an address: to a program of yours, or as plain sentences
            to your phone with ntfy.
          </span>
          <Link to="/webhooks" search={{ add: true }} className="button">
            Add the first webhook
          </Link>
        </Empty>
      )}
      {add && <AddWebhook onClose={() => void navigate({ to: '/webhooks', search: {} })} />}
    </Page>
  );
}

function Health({ webhook }: { webhook: Webhook }) {
  const { description, url, deliveryCount, failureCount, lastDelivery, failingSince, status } = webhook;
  return (
    <>
      {description !== undefined && <div>{escapeLine(url)}</div>}
      {counted(deliveryCount, 'event')} delivered
      {lastDelivery && (
        <>
          , the last <Ago at={lastDelivery} />
        </>
      )}
      {failureCount > 0 && ` · ${counted(failureCount, 'failed attempt')}`}
      {status === 'failing' && failingSince && (
        <>
          {' '}
          · stopped <Ago at={failingSince} />
        </>
      )}
    </>
  );
}
