import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { escapeLine } from '../../../contract/escape-text.ts';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { Ago } from '../../components/time.tsx';
import { approvalsQuery } from '../../queries/approvals.ts';
import { conversationsQuery } from '../../queries/conversations.ts';
import { areKeysOn } from '../../shell/shortcuts.ts';
import { useRemoved } from '../../components/removal.ts';
import styles from './conversation-list.module.css';

/** One's conversations, last used first. */
export function ConversationList({ openId }: { openId: string | undefined }) {
  const list = useInfiniteQuery(conversationsQuery);
  const { data: approvals = [] } = useQuery(approvalsQuery);
  const removed = useRemoved();
  const waiting = new Set(approvals.map(({ conversationId }) => conversationId));
  const all = list.data?.pages.flatMap(({ conversations }) => conversations) ?? [];
  const shown = all.filter(
    ({ id }, at) => !removed.has(id) && all.findIndex((each) => each.id === id) === at,
  );
  return (
    <nav className={styles['list']} aria-labelledby="conversations" onKeyDown={moveFocus}>
      <header>
        <h2 id="conversations">Conversations</h2>
        <Link
          to="/chat/{-$id}"
          params={{ id: undefined }}
          className="button quiet"
          title="New conversation (n)"
        >
          <Icon name="plus" /> New
        </Link>
      </header>
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      <ul>
        {shown.map(({ id, title, agent, updatedAt }) => (
          <li key={id}>
            <Link
              to="/chat/{-$id}"
              params={{ id }}
              className={styles['row'] ?? ''}
              aria-current={id === openId ? 'page' : undefined}
            >
              <span className={styles['title']}>{escapeLine(title)}</span>
              <span className={styles['facts']}>
                {waiting.has(id) && (
                  <span className={styles['waiting']}>
                    <Icon name="shield-question-mark" size={14} /> Needs you
                  </span>
                )}
                {agent && <span>{escapeLine(agent)}</span>}
                <Ago at={updatedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {list.isSuccess && shown.length === 0 && (
        <p className={`muted ${styles['empty']}`}>Your conversations are listed here.</p>
      )}
      {list.hasNextPage && (
        <button
          type="button"
          className="button quiet"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show older conversations
        </button>
      )}
    </nav>
  );
}

/** j and k, as in every list. */
function moveFocus({ key, ctrlKey, metaKey, altKey, currentTarget }: KeyboardEvent<HTMLElement>): void {
  const step = { j: 1, k: -1 }[key];
  if (!step || ctrlKey || metaKey || altKey || !areKeysOn()) return;
  const links = [...currentTarget.querySelectorAll<HTMLAnchorElement>('li a')];
  const at = links.findIndex((link) => link === document.activeElement);
  links[at < 0 ? 0 : at + step]?.focus();
}
