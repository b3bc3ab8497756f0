import { lazyPart } from '../../components/lazy-part.ts';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { DeadLetter } from '../../../contract/dlq.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { Icon } from '../../components/icon.tsx';
import { UnlessLimited } from '../../components/limited.tsx';
import { Problem } from '../../components/problem.tsx';
import { Ago } from '../../components/time.tsx';
import { delay } from '../../components/undo.tsx';
import { useAway } from '../../live/use-away.ts';
import { failureAdvice } from '../task/failure-advice.ts';
import { refreshDeadLetters } from './refresh-dead-letters.ts';
import styles from './dead-letters.module.css';

// The inbox, which shows cards too, is the first page of all.
const DeadLetterDialog = lazyPart(() => import('./dead-letter-dialog.tsx'), 'DeadLetterDialog');

/** A task that exhausted its attempts, with what can be done about it. */
export function DeadLetterCard({
  item,
  level = 3,
  isChosen = false,
  onChoose,
}: {
  item: DeadLetter;
  level?: 2 | 3;
  isChosen?: boolean;
  /** Where several can be chosen to do the same with all of them. */
  onChoose?: (item: DeadLetter) => void;
}) {
  const Heading = `h${level}` as const;
  const isAway = useAway();
  const [isResolving, setResolving] = useState(false);
  const advice = failureAdvice[item.class] as (typeof failureAdvice)[typeof item.class] | undefined;
  const [isGone, setGone] = useState(false);
  const retry = useMutation({
    mutationFn: () => client.dlq.retry({ params: { id: item.id } }),
    onSettled: refreshDeadLetters,
  });
  const discard = () => {
    setGone(true);
    delay(`Discarded ${visibleLine(item.title)}.`, {
      commit: async () => {
        await client.dlq.discard({ params: { id: item.id } });
        await refreshDeadLetters();
      },
      revert: () => setGone(false),
    });
  };
  if (isGone) return null;
  return (
    <article className={`card ${styles['card']}`} aria-labelledby={`dead-${item.id}`}>
      <header>
        {onChoose && item.status === 'pending' ? (
          <label className={styles['choose']}>
            <input
              type="checkbox"
              checked={isChosen}
              aria-label={`Select ${visibleLine(item.title)}`}
              onChange={() => onChoose(item)}
            />
          </label>
        ) : (
          <Icon name="circle-x" size={18} />
        )}
        <Heading id={`dead-${item.id}`}>
          <Link to="/tasks/$id" params={{ id: item.taskId }}>
            {visibleLine(item.title)}
          </Link>
        </Heading>
        <span className="muted">
          <Ago at={item.createdAt} />
        </span>
      </header>
      <p>
        <strong>{advice?.name ?? item.class}</strong> after {item.attempts}{' '}
        {item.attempts === 1 ? 'attempt' : 'attempts'}: {visibleText(item.lastError)}
      </p>
      {item.status === 'pending' && advice && <p className="muted">{advice.next}</p>}
      {retry.error && <Problem error={retry.error} />}
      {item.status === 'pending' ? (
        <UnlessLimited>
          <footer>
            <button
              type="button"
              className="button"
              disabled={isAway || retry.isPending}
              onClick={() => retry.mutate()}
            >
              Retry
            </button>
            <button
              type="button"
              className="button quiet"
              disabled={isAway || retry.isPending}
              onClick={() => setResolving(true)}
            >
              Resolve
            </button>
            <button
              type="button"
              className="button quiet"
              disabled={isAway || retry.isPending}
              onClick={discard}
            >
              Discard
            </button>
          </footer>
        </UnlessLimited>
      ) : (
        <p className="muted">{outcomeOf(item)}</p>
      )}
      <Suspense>
        {isResolving && (
          <DeadLetterDialog name="resolve" items={[item]} onClose={() => setResolving(false)} />
        )}
      </Suspense>
    </article>
  );
}

function outcomeOf({ status, resolution, note }: DeadLetter): string {
  if (status === 'discarded') return 'Discarded';
  const how = resolution === 'retried' ? 'Requeued' : 'Resolved manually';
  return note ? `${how}: ${visibleText(note)}` : how;
}
