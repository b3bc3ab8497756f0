import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../client.ts';
import { Icon } from '../components/icon.tsx';
import { isForLimited, useIsLimited } from '../components/limited.tsx';
import { live, type LiveState } from '../live/live-feed.ts';
import { inboxQuery } from '../queries/inbox.ts';
import { sessionQuery } from '../queries/session.ts';
import { groups, type NavigationPage, pages } from './pages.ts';
import { ThemeToggle } from './theme-toggle.tsx';
import styles from './navigation.module.css';

/** A bar at the side, and at the bottom of a phone. */
export function Navigation({ onPalette }: { onPalette: () => void }) {
  const { data: waiting = 0 } = useQuery({ ...inboxQuery, select: ({ counts }) => counts.needsYou });
  const isLimited = useIsLimited();
  const [isMoreOpen, setMoreOpen] = useState(false);
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) svc` : 'svc';
    const icon = waiting > 0 ? '/icon-waiting.svg' : '/icon.svg';
    document.querySelector('link[rel=icon]')?.setAttribute('href', icon);
  }, [waiting]);
  const hasMore = pages.some(({ isOnPhone }) => !isOnPhone);
  return (
    <nav className={styles['nav']} aria-label="Main" data-more={isMoreOpen || undefined}>
      <Link to="/" className={styles['brand']} aria-label="svc, inbox">
        <img src="/icon.svg" alt="" width={20} height={20} />
        <span>svc</span>
      </Link>
      <button type="button" className={styles['search']} onClick={onPalette}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {groups.map((group) => {
        const shown = pages.filter(
          ({ group: of, path }) => of === group && (!isLimited || isForLimited(path)),
        );
        return (
          shown.length > 0 && (
            <section key={group} className={styles['group']} aria-label={group || 'Now'}>
              {group && <p aria-hidden>{group}</p>}
              <ul className={styles['links']}>
                {shown.map((page) => (
                  <li key={page.path} data-phone={page.isOnPhone || undefined}>
                    <PageLink
                      page={page}
                      count={page.path === '/' ? waiting : 0}
                      onClick={() => setMoreOpen(false)}
                    />
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
      {hasMore && (
        <button
          type="button"
          className={styles['more']}
          aria-expanded={isMoreOpen}
          onClick={() => setMoreOpen((open) => !open)}
        >
          <Icon name="ellipsis" />
          <span>More</span>
        </button>
      )}
      <div className={styles['foot']}>
        <Connection />
        <ThemeToggle />
        <SignOut />
      </div>
    </nav>
  );
}

function PageLink({ page, count, onClick }: { page: NavigationPage; count: number; onClick: () => void }) {
  return (
    <Link
      to={page.path}
      activeOptions={{ exact: page.path === '/', includeSearch: false }}
      className={styles['link'] ?? ''}
      onClick={onClick}
    >
      <Icon name={page.icon} />
      <span>{page.name}</span>
      {count > 0 && (
        <span className={styles['count']}>
          {count}
          <span className="visually-hidden"> waiting for you</span>
        </span>
      )}
    </Link>
  );
}

const words: Record<LiveState, string> = {
  connecting: 'Connecting…',
  connected: 'Live',
  away: 'Reconnecting…',
  'signed-out': 'Signed out',
};

function Connection() {
  const state = useSyncExternalStore(live.onState, live.state);
  return (
    <span className={styles['connection']} data-state={state} role="status">
      {words[state]}
    </span>
  );
}

function SignOut() {
  const { data: session } = useQuery(sessionQuery);
  const signOut = useMutation({
    mutationFn: () => client.auth.logout(),
    // Nothing of this session stays in the memory of the page.
    onSuccess: () => location.assign('/'),
  });
  if (!session?.authenticated) return null;
  return (
    <button
      type="button"
      className="button quiet icon"
      aria-label={`Sign out ${session.user.name}`}
      title={`Signed in as ${session.user.name}. Sign out`}
      disabled={signOut.isPending}
      onClick={() => signOut.mutate()}
    >
      <Icon name="log-out" />
    </button>
  );
}
