import type { TaskStatus } from '../../contract/task.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import styles from './status-badge.module.css';

const looks: Record<TaskStatus, { icon: IconName; label: string }> = {
  pending: { icon: 'circle-dashed', label: 'Pending' },
  queued: { icon: 'clock', label: 'Queued' },
  in_progress: { icon: 'loader-circle', label: 'Running' },
  completed: { icon: 'circle-check', label: 'Completed' },
  failed: { icon: 'circle-x', label: 'Failed' },
  cancelled: { icon: 'ban', label: 'Cancelled' },
};

/** The word for a state; a state that this page does not know is shown as it is. */
export const statusLabel = (status: TaskStatus): string => looks[status]?.label ?? status;

/** The state of a task. Never by color alone: an icon and a word say the same. */
export function StatusBadge({
  status,
  note,
  needsYou = false,
}: {
  status: TaskStatus;
  note?: string | undefined;
  /** Whether the work waits for a person, which says more than that it is running. */
  needsYou?: boolean;
}) {
  const isWaiting = needsYou && status === 'in_progress';
  return (
    <span className={styles['badge']} data-status={isWaiting ? 'needs-you' : status}>
      <Icon name={isWaiting ? 'shield-question-mark' : (looks[status]?.icon ?? 'circle-dashed')} size={14} />
      {isWaiting ? 'Needs you' : statusLabel(status)}
      {note && <span className={styles['note']}>· {note}</span>}
    </span>
  );
}
