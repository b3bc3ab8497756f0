import { memo, type MouseEvent } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { TaskRow } from '../../components/task-row.tsx';
import styles from './task-list.module.css';

interface ListItemProps {
  index: number;
  /** Pixels from the top of the list. */
  top: number;
  size: number;
  total: number;
  /** Undefined while it is read. */
  task: ListedTask | undefined;
  isOpen: boolean;
  isSelected: boolean;
  needsYou: boolean;
  onOpen: (event: MouseEvent, id: string) => void;
  onToggle: (task: ListedTask) => void;
}

/** A row of the list with its box to select it. */
export const ListItem = memo(function ListItem({
  index,
  top,
  size,
  total,
  task,
  isOpen,
  isSelected,
  needsYou,
  onOpen,
  onToggle,
}: ListItemProps) {
  return (
    <li
      className={styles['item']}
      style={{ transform: `translateY(${top}px)`, height: size }}
      aria-setsize={total}
      aria-posinset={index + 1}
      data-row={index}
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
    >
      {task ? (
        <>
          <label className={styles['check']}>
            <input
              type="checkbox"
              checked={isSelected}
              onChange={() => onToggle(task)}
              aria-label={`Select ${visibleLine(task.title ?? task.id)}`}
            />
          </label>
          <TaskRow task={task} isOpen={isOpen} needsYou={needsYou} onOpen={onOpen} />
        </>
      ) : (
        <span className={styles['unread']} />
      )}
    </li>
  );
});
