import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import styles from './webhooks.module.css';

const looks: Record<Webhook['status'] | WebhookDelivery['status'], { icon: IconName; word: string }> = {
  active: { icon: 'circle-check', word: 'Active' },
  failing: { icon: 'circle-x', word: 'Stopped after failures' },
  paused: { icon: 'pause', word: 'Paused' },
  pending: { icon: 'clock', word: 'Pending' },
  delivered: { icon: 'circle-check', word: 'Delivered' },
  failed: { icon: 'circle-x', word: 'Failed' },
};

/** The state of a webhook or of a delivery; an icon and a word say the same as the color. */
export const WebhookBadge = ({ status }: { status: keyof typeof looks }) => (
  <span className={styles['badge']} data-status={status}>
    <Icon name={looks[status]?.icon ?? 'circle-dashed'} size={14} />
    {looks[status]?.word ?? status}
  </span>
);
