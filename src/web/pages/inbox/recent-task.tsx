import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { LineCounts } from '../../components/line-counts.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TaskProgress } from '../../components/task-progress.tsx';
import { Ago } from '../../components/time.tsx';
import styles from './inbox.module.css';

/** A task on one line: how far it is, or what came of it. */
export const RecentTask = memo(function RecentTask({ task }: { task: ListedTask }) {
  const { id, title = id, status = 'pending', completedAt, outcome } = task;
  const { verified, changes } = outcome ?? {};
  return (
    <Link to="/tasks/$id" params={{ id }} className={styles['row'] ?? ''}>
      <StatusBadge status={status} note={verified === true ? 'verified' : undefined} />
      <span className={styles['title']}>{visibleLine(title)}</span>
      <span className={styles['time']}>
        {changes && <LineCounts additions={changes.additions} deletions={changes.deletions} />}
        {completedAt ? <Ago at={completedAt} /> : <TaskProgress task={task} />}
      </span>
    </Link>
  );
});
