import { Link } from '@tanstack/react-router';
import { memo, type MouseEvent } from 'react';
import type { ListedTask } from '../../contract/task.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import { StatusBadge } from './status-badge.tsx';
import { TaskTime } from './task-time.tsx';
import styles from './task-row.module.css';

export interface TaskRowProps {
  task: ListedTask;
  /** Whether it is shown beside the list. */
  isOpen?: boolean;
  needsYou?: boolean;
  /** Called with the click on the row; where it prevents the default, the page of the task is not opened. */
  onOpen?: ((event: MouseEvent, id: string) => void) | undefined;
}

/**
 * One task in a list. Lists render while they scroll; a row only when its task changed. Nothing is read for the rows that
 * pass under the pointer.
 */
export const TaskRow = memo(function TaskRow({
  task,
  isOpen = false,
  needsYou = false,
  onOpen,
}: TaskRowProps) {
  const { id, title = id, status = 'pending', labels = [], held } = task;
  const name = visibleLine(title);
  const daemon = status === 'in_progress' && (task.daemon?.name ?? task.daemon?.host);
  const worker = [agentOf(task), daemon].filter(Boolean).join(' · ');
  const project = projectOf(task);
  return (
    <Link
      to="/tasks/$id"
      params={{ id }}
      preload={false}
      className={styles['row'] ?? ''}
      aria-current={isOpen ? 'true' : undefined}
      onClick={(event) => onOpen?.(event, id)}
    >
      <StatusBadge status={status} note={held ? 'on hold' : undefined} needsYou={needsYou} />
      <span className={styles['title']} title={name}>
        {name}
      </span>
      {labels.length > 0 && <span className={styles['labels']}>{labels.map(visibleLine).join(', ')}</span>}
      {worker && <span className={styles['agent']}>{visibleLine(worker)}</span>}
      {project !== '' && <span className={styles['project']}>{visibleLine(project)}</span>}
      <span className={styles['time']}>
        <TaskTime task={task} />
      </span>
    </Link>
  );
});

/** Who works on it, or who is asked to; empty where svc chooses. */
export const agentOf = ({ agentType, assignedAgent }: ListedTask): string => agentType ?? assignedAgent ?? '';

/** Where it works: the repository, or the last part of the directory. */
export const projectOf = ({ repository, cwd }: ListedTask): string =>
  repository ?? cwd?.split('/').findLast((part) => part !== '') ?? '';
