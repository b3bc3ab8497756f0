import { memo, type MouseEvent, useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { counted } from '../../../components/counted.ts';
import { Icon } from '../../../components/icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';
import { formatDuration, formatExact, useNow } from '../../../components/time.tsx';
import type { Attempt } from '../../../live/timeline-rows.ts';
import { Row } from './row.tsx';
import styles from './timeline.module.css';

/** Rows that are shown at once, the last ones; more make a browser slow. */
const PAGE = 200;

const ends: Record<NonNullable<Attempt['end']> | 'running', { icon: IconName; word: string }> = {
  running: { icon: 'loader-circle', word: 'running' },
  completed: { icon: 'circle-check', word: 'completed' },
  failed: { icon: 'circle-x', word: 'failed' },
  cancelled: { icon: 'ban', word: 'cancelled' },
  interrupted: { icon: 'history', word: 'interrupted' },
  waiting: { icon: 'clock', word: 'waiting' },
};

interface AttemptGroupProps {
  attempt: Attempt;
  /** The attempt is changed in place. */
  version: number;
  taskId: string;
  isNewest: boolean;
}

/** One attempt; what came before the first has no heading. */
export const AttemptGroup = memo(function AttemptGroup({ attempt, taskId, isNewest }: AttemptGroupProps) {
  const [choice, setChoice] = useState<boolean>();
  const { number, agent, end = 'running', at } = attempt;
  const isOpen = choice ?? isNewest;
  const list = <Rows attempt={attempt} taskId={taskId} isNewest={isNewest} />;
  if (number === undefined) return list;
  const toggle = (event: MouseEvent) => {
    event.preventDefault();
    setChoice(!isOpen);
  };
  const { icon, word } = ends[end];
  return (
    <details className={styles['attempt']} open={isOpen} data-end={end}>
      <summary onClick={toggle}>
        <Icon name={icon} />
        <span className={styles['title']}>
          Attempt {number}
          {agent && ` by ${escapeLine(agent)}`}
        </span>
        <span className={styles['end']}>
          {word} · <Took attempt={attempt} />
        </span>
        <time className={styles['time']} dateTime={at}>
          {formatExact(at)}
        </time>
      </summary>
      {isOpen && list}
    </details>
  );
});

function Took({ attempt: { at, endedAt } }: { attempt: Attempt }) {
  const now = useNow();
  if (endedAt) return formatDuration(Date.parse(endedAt) - Date.parse(at));
  return formatDuration(Math.max(1000, Math.floor((now - Date.parse(at)) / 1000) * 1000));
}

function Rows({ attempt, taskId, isNewest }: Omit<AttemptGroupProps, 'version'>) {
  const [count, setCount] = useState(PAGE);
  const { rows, dropped, at } = attempt;
  const hidden = Math.max(0, rows.length - count);
  return (
    <>
      {dropped > 0 && (
        <p className={styles['more']}>
          {counted(dropped, 'earlier step')} not kept on this page: <code>svc tasks logs {taskId}</code>
        </p>
      )}
      {hidden > 0 && (
        <button type="button" className="button quiet" onClick={() => setCount(count + PAGE * 2)}>
          Show {Math.min(hidden, PAGE * 2)} of {counted(hidden, 'earlier step')}
        </button>
      )}
      <ol className={styles['rows']} role="list">
        {rows.slice(hidden).map((row) => (
          <Row key={row.key} row={row} from={at} isLast={isNewest && row === rows.at(-1)} />
        ))}
      </ol>
    </>
  );
}
