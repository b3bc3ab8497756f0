import { useInfiniteQuery } from '@tanstack/react-query';
import type { Webhook } from '../../../contract/webhooks.ts';
import { Ago } from '../../components/time.tsx';
import { deliveriesQuery } from '../../queries/webhooks.ts';
import { Outcome } from './send-test.tsx';
import styles from './webhooks.module.css';

/** Why nothing is sent, and how to turn it on again. */
export function Stopped({ webhook: { id, status, failingSince } }: { webhook: Webhook }) {
  const { data } = useInfiniteQuery(deliveriesQuery(id));
  if (status === 'paused')
    return (
      <p className={styles['stopped']}>
        Paused: events are neither sent nor kept. Turn it on to receive events from then on.
      </p>
    );
  const last = data?.pages[0]?.deliveries.find(
    (each) => each.attempts.length > 0 && each.status !== 'delivered',
  );
  return (
    <div className={styles['stopped']} data-failing>
      <p>
        <strong>
          svc stopped sending
          {failingSince && (
            <>
              {' '}
              <Ago at={failingSince} />
            </>
          )}
        </strong>
        , because the last of six attempts failed. {last && <Outcome delivery={last} />}
      </p>
      <p>
        New events are held, up to 10,000. Mend the receiver, send a test, then turn the webhook on: what is
        held is sent then.
      </p>
    </div>
  );
}
