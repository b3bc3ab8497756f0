import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { formatDuration, useNow } from '../../components/time.tsx';
import type { Turn } from './turn.ts';
import styles from './turn-status.module.css';
import { formatNumber } from '../../components/format-number.ts';

const words: Record<Turn['phase'], string> = {
  waiting: 'Waiting for the model',
  thinking: 'Thinking',
  writing: 'Writing',
  tool: 'Running a tool',
  deciding: 'Waiting for your decision',
  done: 'Done',
};

/** What the turn does at the moment, and for how long. */
export function TurnStatus({
  turn,
  isBusy,
  isFollowing,
}: {
  turn: Turn | undefined;
  isBusy: boolean;
  isFollowing: boolean;
}) {
  const phase = turn ? words[turn.phase] : 'Running';
  return (
    <p className={styles['status']} data-busy={isBusy || undefined}>
      <span role="status">{isBusy ? (isFollowing ? phase : 'Reconnecting…') : ''}</span>
      {isBusy && turn && (
        <>
          <Elapsed since={turn.startedAt} />
          {turn.step !== undefined && turn.step > 1 && <span>step {turn.step}</span>}
          {turn.usedTokens !== undefined && turn.usedTokens > 0 && (
            <span>{formatNumber(turn.usedTokens)} tokens</span>
          )}
          {turn.taskId && (
            <Link to="/tasks/$id" params={{ id: turn.taskId }}>
              View task <Icon name="chevron-right" size={12} />
            </Link>
          )}
          <span className={styles['key']}>
            <kbd>Esc</kbd> stops
          </span>
        </>
      )}
    </p>
  );
}

function Elapsed({ since }: { since: number }) {
  const seconds = Math.max(0, Math.round((useNow() - since) / 1000));
  return <span>{seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)}</span>;
}
