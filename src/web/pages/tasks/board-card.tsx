import { Link } from '@tanstack/react-router';
import { memo, type MouseEvent } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { agentOf, projectOf } from '../../components/task-row.tsx';
import { TaskTime } from '../../components/task-time.tsx';
import { ActionButton } from './action-button.tsx';
import styles from './board.module.css';

/** A task on the board, with what can be done with it. */
export const BoardCard = memo(function BoardCard({
  task,
  isOpen,
  needsYou,
  onOpen,
}: {
  task: ListedTask;
  isOpen: boolean;
  needsYou: boolean;
  onOpen: (event: MouseEvent, id: string) => void;
}) {
  const { id, title = id, status = 'pending', held } = task;
  const notes = [agentOf(task), projectOf(task)].filter((note) => note !== '');
  return (
    <li className={styles['card']} data-row={id} data-open={isOpen || undefined}>
      <Link
        to="/tasks/$id"
        params={{ id }}
        className={styles['title'] ?? ''}
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => onOpen(event, id)}
      >
        {visibleLine(title)}
      </Link>
      <div className={styles['facts']}>
        <span className={styles['notes']}>{notes.map(visibleLine).join(' · ')}</span>
        <span className={styles['time']}>
          <TaskTime task={task} />
        </span>
      </div>
      <div className={styles['foot']}>
        <StatusBadge status={status} note={held ? 'on hold' : undefined} needsYou={needsYou} />
        <ActionButton task={task} isQuiet />
      </div>
    </li>
  );
});
