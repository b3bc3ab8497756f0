import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { Task } from '../../../../contract/task.ts';
import type { TraceSpan } from '../../../../contract/task-trace.ts';
import { toTraceRows, traceAxis, type TraceRow, traceSums } from '../../../../contract/trace-rows.ts';
import { Loading } from '../../../components/loading.tsx';
import { Problem } from '../../../components/problem.tsx';
import { formatDuration } from '../../../components/time.tsx';
import { traceQuery } from '../../../queries/tasks.ts';
import { isFinished } from '../task-states.ts';
import styles from './trace.module.css';

/** How often the trace of a task that is not finished is read. */
const EVERY_MS = 5000;
/** So many rows are shown at first, and more with each press. */
const ROWS = 300;
const states: Partial<Record<TraceSpan['status'], string>> = {
  error: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
  running: 'running',
};

/** Where the time of a task went: waits, attempts, steps and calls over one axis of time. */
export function TraceTab({ task }: { task: Task }) {
  const everyMs = !isFinished(task.status) && EVERY_MS;
  const { data, error, refetch } = useQuery({ ...traceQuery(task.id), refetchInterval: everyMs });
  const [shown, setShown] = useState(ROWS);
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={6} label="Loading the trace" />;
  const { spans, truncated } = data;
  const axis = traceAxis(spans);
  const rows = toTraceRows(spans);
  const sums = traceSums(spans).map(([name, ms]) => `${name} ${formatDuration(ms)}`);
  const more = rows.length - shown;
  return (
    <div className={styles['trace']}>
      {error && <Problem error={error} />}
      {sums.length > 0 && <p className={styles['sums']}>{sums.join(' · ')}</p>}
      <div className={styles['axis']} aria-hidden="true">
        <span>0</span>
        <span>{formatDuration(axis.total)}</span>
      </div>
      <ol className={styles['rows']} role="list" aria-label="Spans">
        {rows.slice(0, shown).map((row) => (
          <Row key={row.span.id} row={row} axis={axis} />
        ))}
      </ol>
      {more > 0 && (
        <button type="button" className="button" onClick={() => setShown(shown + ROWS)}>
          Show {Math.min(more, ROWS)} more
        </button>
      )}
      {truncated && <p className="muted">The task has too many events: its last spans are missing.</p>}
    </div>
  );
}

function Row({ row, axis }: { row: TraceRow; axis: { start: number; total: number } }) {
  const { span, depth } = row;
  const { kind, status, startedAt, durationMs } = span;
  const label = escapeLine(row.label);
  const offset = Math.max(0, Date.parse(startedAt) - axis.start);
  const place = {
    '--depth': depth,
    '--from': `${(100 * offset) / axis.total}%`,
    '--share': `${(100 * durationMs) / axis.total}%`,
  };
  return (
    <li className={styles['row']} data-kind={kind} data-status={status} style={place as object}>
      <span className={styles['name']} title={label}>
        {label}
      </span>
      <span className={styles['time']}>
        {states[status] !== undefined && <span className={styles['state']}>{states[status]}</span>}{' '}
        {formatDuration(durationMs)}
      </span>
      <span className={styles['track']} aria-hidden="true">
        <span className={styles['bar']} />
      </span>
    </li>
  );
}
