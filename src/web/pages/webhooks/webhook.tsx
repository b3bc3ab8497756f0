import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { escapeLine } from '../../../contract/escape-text.ts';
import type { Webhook } from '../../../contract/webhooks.ts';
import { BackLink } from '../../components/back-link.tsx';
import { Facts } from '../../components/facts.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { removeLater } from '../../components/remove-later.ts';
import { Ago } from '../../components/time.tsx';
import { client } from '../../client.ts';
import { useAway } from '../../live/use-away.ts';
import { webhookQuery } from '../../queries/webhooks.ts';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { refreshWebhooks } from './refresh-webhooks.ts';
import { RotateSecret } from './rotate-secret.tsx';
import { SendTest } from './send-test.tsx';
import { Stopped } from './stopped.tsx';
import { SwitchButton } from './switch-button.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import styles from './webhooks.module.css';
import { formatNumber } from '../../components/format-number.ts';

const route = getRouteApi('/webhooks/$id');

/** One webhook: what it is told, how that goes, and each delivery. */
export function WebhookPage() {
  const { id } = route.useParams();
  const query = useQuery(webhookQuery(id));
  const webhook = query.data;
  return (
    <Page
      title={webhook ? escapeLine(webhook.description ?? new URL(webhook.url).host) : 'Webhook'}
      back={<BackLink to="/webhooks">Webhooks</BackLink>}
      note={webhook && <WebhookBadge status={webhook.status} />}
      isNarrow
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {webhook && (
        <>
          {webhook.status !== 'active' && <Stopped webhook={webhook} />}
          <Actions webhook={webhook} />
          <Facts
            facts={[
              ['Address', <code key="url">{escapeLine(webhook.url)}</code>],
              ['Events', webhook.events.join(', ')],
              ['Format', webhook.format === 'json' ? 'JSON' : 'Text'],
              ['Secret', <code key="secret">{webhook.secret}</code>],
              ['Access token', webhook.token && <code key="token">{webhook.token}</code>],
              ['Delivered', formatNumber(webhook.deliveryCount)],
              ['Failures', webhook.failureCount > 0 && formatNumber(webhook.failureCount)],
              ['Last delivered', webhook.lastDelivery && <Ago key="last" at={webhook.lastDelivery} />],
            ]}
          />
          <Deliveries id={id} />
        </>
      )}
    </Page>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const { id, description, url } = webhook;
  const navigate = useNavigate();
  const isAway = useAway();
  const [open, setOpen] = useState<'edit' | 'rotate'>();
  const close = () => setOpen(undefined);
  const remove = () => {
    removeLater(id, `${escapeLine(description ?? url)} deleted.`, async () => {
      await client.webhooks.delete({ params: { id } });
      await refreshWebhooks();
    });
    void navigate({ to: '/webhooks' });
  };
  return (
    <div className={styles['actions']}>
      <SendTest id={id} />
      <SwitchButton webhook={webhook} />
      <button type="button" className="button" disabled={isAway} onClick={() => setOpen('edit')}>
        Edit
      </button>
      <button type="button" className="button" disabled={isAway} onClick={() => setOpen('rotate')}>
        Rotate secret
      </button>
      <button type="button" className="button danger" disabled={isAway} onClick={remove}>
        Delete
      </button>
      {open === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {open === 'rotate' && <RotateSecret id={id} onClose={close} />}
    </div>
  );
}
