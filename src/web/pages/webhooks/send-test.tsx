import { useMutation } from '@tanstack/react-query';
import { escapeText } from '../../../contract/escape-text.ts';
import type { WebhookDelivery } from '../../../contract/webhooks.ts';
import { Problem } from '../../components/problem.tsx';
import { formatDuration } from '../../components/time.tsx';
import { client } from '../../client.ts';
import { useAway } from '../../live/use-away.ts';
import { refreshWebhooks } from './refresh-webhooks.ts';
import styles from './webhooks.module.css';

/** Sends a test event and says how it went. */
export function SendTest({ id }: { id: string }) {
  const isAway = useAway();
  const test = useMutation({
    mutationFn: () => client.webhooks.sendTest({ params: { id } }),
    onSettled: refreshWebhooks,
  });
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={isAway || test.isPending}
        onClick={() => test.mutate()}
      >
        Send test
      </button>
      {test.error && <Problem error={test.error} />}
      <p role="status" className={styles['result']}>
        {test.isPending && 'Sending…'}
        {test.data && <Outcome delivery={test.data.delivery} />}
      </p>
    </>
  );
}

/** One sentence about the last attempt. */
export function Outcome({
  delivery: { status, statusCode, error, durationMs },
}: {
  delivery: WebhookDelivery;
}) {
  const took = durationMs === undefined ? '' : ` in ${formatDuration(durationMs)}`;
  if (status === 'delivered')
    return (
      <>
        Delivered: HTTP {statusCode}
        {took}.
      </>
    );
  if (error === undefined && statusCode === undefined) return <>Not sent yet.</>;
  return (
    <span className="error">
      Not delivered: {error === undefined ? `HTTP ${statusCode}${took}` : escapeText(error)}.
    </span>
  );
}
