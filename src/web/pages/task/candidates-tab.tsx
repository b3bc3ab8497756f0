import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { escapeText } from '../../../contract/escape-text.ts';
import type { Candidate, Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { LineCounts } from '../../components/line-counts.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { useIsLimited } from '../../components/limited.tsx';
import { Problem } from '../../components/problem.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatDuration } from '../../components/time.tsx';
import { useAway } from '../../live/use-away.ts';
import { queryClient } from '../../queries/query-client.ts';
import { candidatesQuery } from '../../queries/tasks.ts';
import styles from './task.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** How often the numbers of candidates at work are read; their states come with the feed. */
const EVERY_MS = 5000;

/** The candidates of a task next to each other, and the choice between them. */
export function CandidatesTab({ task }: { task: Task }) {
  const { id, status } = task;
  const isRunning = status === 'in_progress';
  const { data, error, refetch } = useQuery({
    ...candidatesQuery(id),
    refetchInterval: isRunning && EVERY_MS,
  });
  const isAway = useAway();
  const isLimited = useIsLimited();
  const pick = useMutation({
    mutationFn: (candidateId: string) => client.tasks.pick({ params: { id }, body: { candidateId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={3} label="Loading the candidates" />;
  const { candidates, choice } = data;
  if (candidates.length === 0) return <Empty>The candidates appear here once the first has started.</Empty>;
  const mayPick = !isLimited && isRunning && !choice && task.bestOf?.pick === 'person';
  return (
    <div className={styles['candidates']}>
      {choice && <p className={styles['remark']}>{escapeText(choice.reason)}</p>}
      {pick.error && <Problem error={pick.error} />}
      <ul role="list">
        {candidates.map((candidate) => (
          <li key={candidate.taskId}>
            <CandidateItem
              candidate={candidate}
              number={candidates.indexOf(candidate) + 1}
              onPick={
                mayPick && candidate.status === 'completed' ? () => pick.mutate(candidate.taskId) : undefined
              }
              isBusy={pick.isPending || pick.isSuccess || isAway}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ItemProps {
  candidate: Candidate;
  number: number;
  onPick: (() => void) | undefined;
  isBusy: boolean;
}

function CandidateItem({ candidate, number, onPick, isBusy }: ItemProps) {
  const {
    taskId: id,
    agent = 'default',
    status,
    verification,
    usage,
    cost,
    durationMs,
    isWinner,
    reason,
  } = candidate;
  const { additions = 0, deletions = 0, files } = candidate;
  const facts = [
    files !== undefined && `${files} ${files === 1 ? 'file' : 'files'}`,
    usage && `${formatNumber(usage.totalTokens)} tokens`,
    cost && `$${cost}`,
    durationMs !== undefined && formatDuration(durationMs),
  ].filter(Boolean);
  const name = `Candidate ${number} by ${agent}`;
  return (
    <article className={`card ${styles['candidate']}`} data-winner={isWinner || undefined} aria-label={name}>
      <h3>
        <Link to="/tasks/$id" params={{ id }}>
          {name}
        </Link>
        {isWinner && (
          <span className={styles['winner']}>
            <Icon name="check" /> chosen
          </span>
        )}
      </h3>
      <StatusBadge
        status={status}
        note={verification && (verification === 'passed' ? 'verified' : 'verification failed')}
      />
      <p className={styles['facts']}>
        <LineCounts additions={additions} deletions={deletions} />
        {facts.join(' · ')}
      </p>
      {reason && !isWinner && <p className="muted">{escapeText(reason)}</p>}
      <div className={styles['candidate-actions']}>
        <Link className="button" to="/tasks/$id" params={{ id }} search={{ tab: 'changes' }}>
          Changes
        </Link>
        {onPick && (
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            aria-label={`Choose ${name}`}
            onClick={onPick}
          >
            Choose
          </button>
        )}
      </div>
    </article>
  );
}
