import type { TaskTimeline } from '../../../live/task-timeline.ts';
import { Row } from './row.tsx';
import styles from './timeline.module.css';

/** The newest rows of a timeline, as its tab shows them. */
export function LastRows({ timeline, count }: { timeline: TaskTimeline; count: number }) {
  const rows = timeline.attempts.flatMap(({ at, rows: all }) => all.map((row) => ({ row, from: at })));
  return (
    <ol className={styles['rows']} role="list">
      {rows.slice(-count).map(({ row, from }) => (
        <Row key={row.key} row={row} from={from} isLast={row === timeline.last} />
      ))}
    </ol>
  );
}
