import { lazyPart } from '../../components/lazy-part.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import type { Inbox, InboxItem } from '../../../contract/inbox.ts';
import type { Notification } from '../../../contract/notifications.ts';
import { ApprovalCard } from '../../components/approval-card.tsx';
import { Empty } from '../../components/empty.tsx';
import { useIsLimited } from '../../components/limited.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { inboxQuery } from '../../queries/inbox.ts';
import { adminOf, sessionQuery } from '../../queries/session.ts';
import { useReading } from './read-notifications.ts';
import { RecentTask } from './recent-task.tsx';
import styles from './inbox.module.css';
import { formatNumber } from '../../components/format-number.ts';

// Most inboxes have none of these.
const ProblemCard = lazyPart(() => import('./problem-cards.tsx'), 'ProblemCard');
const NotificationCard = lazyPart(() => import('./notification-card.tsx'), 'NotificationCard');
const FirstRunCard = lazyPart(() => import('../first-run/first-run-card.tsx'), 'FirstRunCard');
const DeadLetterCard = lazyPart(() => import('../dead-letters/dead-letter-card.tsx'), 'DeadLetterCard');

/** Shown in full; the rest is on its own page. */
const MOST = 5;

/** What needs a person, then what is running, then what was done. */
export function InboxPage() {
  const { data, error, refetch } = useQuery(inboxQuery);
  const needsFirstRun = useNeedsFirstRun();
  return (
    <Page title="Inbox" isNarrow>
      {needsFirstRun && (
        <Suspense>
          <FirstRunCard />
        </Suspense>
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data ? <Sections inbox={data} /> : !error && <Loading rows={3} />}
    </Page>
  );
}

/** Whether an administrator has not finished, or declined, the first steps. */
function useNeedsFirstRun(): boolean {
  const { data: session } = useQuery(sessionQuery);
  const isLimited = useIsLimited();
  return adminOf(session)?.onboardingCompleted === false && !isLimited;
}

function Sections({ inbox: { items, counts, running, queued, completed } }: { inbox: Inbox }) {
  const { hidden, readOne, readAll } = useReading();
  const isAway = useAway();
  const news = items.flatMap((item) =>
    item.kind === 'notification' && !hidden.has(item.notification.id) ? [item.notification] : [],
  );
  const others = items.filter(({ kind }) => kind !== 'dead_letter' && kind !== 'notification');
  const failed = items.flatMap((item) => (item.kind === 'dead_letter' ? [item.deadLetter] : []));
  const read = items.filter((item) => item.kind === 'notification').length - news.length;
  const needs = counts.needsYou - read;
  const left = counts.approvals - others.filter(({ kind }) => kind === 'approval').length;
  return (
    <>
      <Section
        title="Needs you"
        count={needs}
        action={
          news.length > 1 && (
            <button type="button" className="button quiet" disabled={isAway} onClick={() => readAll(news)}>
              Mark all as read
            </button>
          )
        }
      >
        {others.map((item) =>
          item.kind === 'approval' ? (
            <ApprovalCard key={keyOf(item)} approval={item.approval} />
          ) : (
            <Suspense key={keyOf(item)} fallback={<Loading rows={1} />}>
              <ProblemCard item={item} />
            </Suspense>
          ),
        )}
        {left > 0 && <p className="muted">{left} more calls wait. They appear once you decide these.</p>}
        <Suspense fallback={<Loading rows={failed.length} />}>
          {failed.slice(0, MOST).map((item) => (
            <DeadLetterCard key={item.id} item={item} />
          ))}
        </Suspense>
        {counts.deadLetters > MOST && (
          <Link to="/dead-letters">Show all {formatNumber(counts.deadLetters)} dead letters</Link>
        )}
        <Suspense fallback={<Loading rows={news.length} />}>
          {news.map((notification: Notification) => (
            <NotificationCard key={notification.id} notification={notification} onRead={readOne} />
          ))}
        </Suspense>
        {counts.notifications - read > news.length && (
          <p className="muted">
            {formatNumber(counts.notifications - read - news.length)} older notifications appear once you have
            read these.
          </p>
        )}
        {needs <= 0 && <p className="muted">Nothing needs you.</p>}
      </Section>
      <Section title="Running" count={running.total}>
        <Tasks {...running} status="in_progress" empty={<p className="muted">Nothing is running.</p>} />
        {queued > 0 && (
          <Link to="/tasks" search={{ status: 'queued' }}>
            {queued === 1 ? '1 task waits' : `${formatNumber(queued)} tasks wait`} in the queue
          </Link>
        )}
      </Section>
      <Section title="Completed today" count={completed.total}>
        <Tasks
          {...completed}
          status="completed"
          empty={
            <Empty>
              <span>Tasks that are completed today are listed here.</span>
              <Link to="/tasks/new" className="button">
                New task
              </Link>
            </Empty>
          }
        />
      </Section>
    </>
  );
}

function keyOf(item: InboxItem): string {
  switch (item.kind) {
    case 'approval':
      return item.approval.id;
    case 'agent':
      return `agent ${item.agent.type}`;
    case 'provider':
      return `provider ${item.provider.type}`;
    case 'webhook':
      return item.webhook.id;
    case 'dead_letter':
      return item.deadLetter.id;
    case 'notification':
      return item.notification.id;
    case 'queue':
      return item.kind;
    default:
      return '';
  }
}

interface SectionProps {
  title: string;
  count: number;
  action?: ReactNode;
  children: ReactNode;
}

function Section({ title, count, action, children }: SectionProps) {
  const id = `section-${title.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <section className={styles['section']} aria-labelledby={id}>
      <header className={styles['section-head']}>
        <h2 id={id}>
          {title} <span className={styles['count']}>{formatNumber(count)}</span>
        </h2>
        {action}
      </header>
      {children}
    </section>
  );
}

interface TasksProps extends Pick<Inbox['running'], 'tasks' | 'total'> {
  status: 'in_progress' | 'completed';
  empty: ReactNode;
}

function Tasks({ tasks, total, status, empty }: TasksProps) {
  if (tasks.length === 0) return empty;
  return (
    <>
      <ul className={`card ${styles['list']}`}>
        {tasks.slice(0, MOST).map((task) => (
          <li key={task.id}>
            <RecentTask task={task} />
          </li>
        ))}
      </ul>
      {total > MOST && (
        <Link to="/tasks" search={{ status }}>
          Show all {formatNumber(total)} tasks
        </Link>
      )}
    </>
  );
}
