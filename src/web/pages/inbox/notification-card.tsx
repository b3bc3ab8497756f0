import { Link } from '@tanstack/react-router';
import type { Notification } from '../../../contract/notifications.ts';
import { visibleText } from '../../../contract/visible-text.ts';
import { Ago } from '../../components/time.tsx';
import { useAway } from '../../live/use-away.ts';
import styles from './inbox.module.css';

/** What svc wants a person to know, until they have read it. */
export function NotificationCard({
  notification,
  onRead,
}: {
  notification: Notification;
  onRead: (notification: Notification) => void;
}) {
  const { id, title, message, taskId, createdAt } = notification;
  const isAway = useAway();
  return (
    <article className={`card ${styles['note']}`} aria-labelledby={`note-${id}`}>
      <h3 id={`note-${id}`}>{visibleText(title)}</h3>
      <p>{visibleText(message)}</p>
      <footer>
        <span className="muted">
          <Ago at={createdAt} />
        </span>
        {taskId && (
          <Link to="/tasks/$id" params={{ id: taskId }}>
            View task
          </Link>
        )}
        <button type="button" className="button" disabled={isAway} onClick={() => onRead(notification)}>
          Mark as read
        </button>
      </footer>
    </article>
  );
}
