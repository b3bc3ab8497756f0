import { Link } from '@tanstack/react-router';
import { escapeText } from '../../../contract/escape-text.ts';
import type { WebhookDelivery } from '../../../contract/webhooks.ts';
import { ActButton } from '../../components/act-button.tsx';
import { Facts } from '../../components/facts.tsx';
import { formatDuration, formatExact } from '../../components/time.tsx';
import { client } from '../../client.ts';
import { refreshWebhooks } from './refresh-webhooks.ts';
import styles from './webhooks.module.css';

/** Each attempt of a delivery, what the receiver answered, and another try. */
export function DeliveryDetails({ delivery }: { delivery: WebhookDelivery }) {
  const { id, webhookId, attempts, responseBody, taskId, approvalId } = delivery;
  return (
    <div className={styles['details']}>
      <Facts
        facts={[
          ['Delivery', <code key="id">{id}</code>],
          [
            'Task',
            taskId && (
              <Link key="task" to="/tasks/$id" params={{ id: taskId }}>
                {taskId}
              </Link>
            ),
          ],
          [
            'Approval',
            approvalId && (
              <Link key="approval" to="/approvals/$id" params={{ id: approvalId }}>
                {approvalId}
              </Link>
            ),
          ],
        ]}
      />
      {attempts.length > 0 && (
        <ol className={styles['attempts']} aria-label="Attempts">
          {attempts.map(({ at, statusCode, error, durationMs }) => (
            <li key={at}>
              <time dateTime={at}>{formatExact(at)}</time> ·{' '}
              {error === undefined ? `HTTP ${statusCode}` : escapeText(error)} · {formatDuration(durationMs)}
            </li>
          ))}
        </ol>
      )}
      {responseBody && (
        <figure className={styles['body']}>
          <figcaption>Response, the first 4 KiB</figcaption>
          <pre tabIndex={0}>{escapeText(responseBody)}</pre>
        </figure>
      )}
      <div className={styles['buttons']}>
        <ActButton
          run={async () => {
            await client.webhooks.redeliver({ params: { id: webhookId, deliveryId: id } });
            await refreshWebhooks();
          }}
        >
          Redeliver
        </ActButton>
        <span className="muted">The same body with the same ID.</span>
      </div>
    </div>
  );
}
