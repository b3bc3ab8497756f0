import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../../queries/session.ts';
import styles from './webhooks.module.css';

/** The two directions of webhooks; only administrators see what comes in. */
export function WebhookTabs() {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.authenticated || session.user.role !== 'admin') return null;
  return (
    <nav className={styles['tabs']} aria-label="Direction">
      <Link to="/webhooks" className="chip" activeOptions={{ exact: true, includeSearch: false }}>
        Outgoing
      </Link>
      <Link to="/webhooks/in" className="chip" activeOptions={{ includeSearch: false }}>
        Incoming
      </Link>
    </nav>
  );
}
