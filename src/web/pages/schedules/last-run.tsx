import { Link } from '@tanstack/react-router';
import type { Schedule } from '../../../contract/schedules.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Ago } from '../../components/time.tsx';
import styles from './schedules.module.css';

/** What came of the last run, with the way to its task. */
export function LastRun({ schedule }: { schedule: Schedule }) {
  const { name, lastTaskId, lastStatus, lastRunAt } = schedule;
  if (lastTaskId === undefined) return <>No runs yet</>;
  return (
    <span className={styles['last']}>
      <Link to="/tasks/$id" params={{ id: lastTaskId }} aria-label={`Last task of ${name}`}>
        {lastStatus ? <StatusBadge status={lastStatus} /> : 'task'}
      </Link>
      {lastRunAt && <Ago at={lastRunAt} />}
    </span>
  );
}
