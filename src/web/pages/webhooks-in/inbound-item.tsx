import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { escapeLine, escapeText } from '../../../contract/escape-text.ts';
import type { InboundDelivery } from '../../../contract/inbound.ts';
import { productNames, type Vendor } from '../../../contract/vendors.ts';
import { ActButton } from '../../components/act-button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { Item } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { Ago } from '../../components/time.tsx';
import { client } from '../../client.ts';
import { queryClient } from '../../queries/query-client.ts';
import { inboundDeliveryQuery } from '../../queries/webhooks.ts';
import styles from '../webhooks/webhooks.module.css';
import { inboundLooks } from './inbound-words.ts';
import { formatNumber } from '../../components/format-number.ts';

const route = getRouteApi('/webhooks/in');

/** One webhook that arrived: what it was, and what became of it. */
export function InboundItem({
  delivery,
  vendor,
  isOpen,
}: {
  delivery: InboundDelivery;
  vendor: Vendor | undefined;
  isOpen: boolean;
}) {
  const { id, event, action, status, reason, taskId, sourceId, sender, copies, receivedAt } = delivery;
  const { delivery: _, ...filter } = route.useSearch();
  const look = inboundLooks[status];
  const source = vendor ? productNames[vendor] : delivery.provider;
  const what = escapeLine(action === undefined ? event : `${event}.${action}`);
  return (
    <Item
      title={
        <span>
          {source} <code>{what}</code>
        </span>
      }
      badge={
        <span className={styles['badge']} data-status={status}>
          <Icon name={look?.icon ?? 'circle-dashed'} size={14} />
          {look?.word ?? status}
        </span>
      }
      note={
        <>
          <Ago at={receivedAt} />
          {sourceId !== undefined && ` · ${escapeLine(sourceId)}`}
          {sender !== undefined && ` · by ${escapeLine(sender)}`}
          {copies > 1 && ` · received ${copies} times`}
          {reason !== undefined && <div>{escapeText(reason)}</div>}
        </>
      }
      actions={
        <>
          {taskId !== undefined && (
            <Link to="/tasks/$id" params={{ id: taskId }} className="button">
              View task
            </Link>
          )}
          <Link
            to="/webhooks/in"
            search={{ ...filter, ...(!isOpen && { delivery: id }) }}
            className="button"
            aria-expanded={isOpen}
            aria-label={`Details of ${source} ${what}, ${id}`}
            resetScroll={false}
          >
            {isOpen ? 'Close' : 'Details'}
          </Link>
        </>
      }
    >
      {isOpen && <Details delivery={delivery} />}
    </Item>
  );
}

function Details({
  delivery: { id, deliveryId, bytes, status, canReplay, replayOf },
}: {
  delivery: InboundDelivery;
}) {
  const { data, error, refetch } = useQuery(inboundDeliveryQuery(id));
  return (
    <div className={styles['details']}>
      <Facts
        facts={[
          ['Delivery', <code key="id">{escapeLine(deliveryId)}</code>],
          [
            'Signature',
            status === 'refused' ? 'Valid, but too old' : replayOf ? 'Replayed by a person' : 'Valid',
          ],
          ['Replay of', replayOf && <code key="of">{replayOf}</code>],
          ['Size', `${formatNumber(bytes)} bytes`],
        ]}
      />
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={2} />
      ) : data.payload === undefined ? (
        <p className="muted">Its body is no longer stored, so it cannot be replayed.</p>
      ) : (
        <figure className={styles['body']}>
          <figcaption>Body</figcaption>
          <pre tabIndex={0}>{escapeText(JSON.stringify(data.payload, undefined, 2))}</pre>
        </figure>
      )}
      {canReplay && (
        <div className={styles['buttons']}>
          <ActButton
            run={async () => {
              await client.inbound.replay({ params: { id } });
              await queryClient.invalidateQueries({ queryKey: ['inbound'] });
            }}
          >
            Replay
          </ActButton>
          <span className="muted">Processes it again with the current rules, as a new entry.</span>
        </div>
      )}
    </div>
  );
}
