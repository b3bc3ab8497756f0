import { Link } from '@tanstack/react-router';
import { type MouseEvent, useRef } from 'react';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import type { TaskFilter } from '../../queries/tasks.ts';
import { BoardCard } from './board-card.tsx';
import { type BoardColumn, useBoardColumns } from './board-columns.ts';
import { formatNumber } from '../../components/format-number.ts';
import { formatTasks } from './format-tasks.ts';
import { useListKeys } from './list-keys.ts';
import styles from './board.module.css';

export interface BoardProps {
  filter: TaskFilter;
  peek: string | undefined;
  onOpen: (event: MouseEvent, id: string) => void;
  onMove: (id: string) => void;
  onClose: () => void;
}

/** The tasks that match in a column for each state. */
export function Board({ filter, peek, onOpen, onMove, onClose }: BoardProps) {
  const board = useRef<HTMLDivElement>(null);
  const columns = useBoardColumns(filter);
  useListKeys({
    move: (to) => {
      const cards = [...(board.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const at = cards.findIndex((card) => card.contains(document.activeElement));
      const next = to === 'first' ? 0 : to === 'last' ? cards.length - 1 : at < 0 ? 0 : at + to;
      const card = cards[Math.max(0, Math.min(cards.length - 1, next))];
      card?.querySelector('a')?.focus();
      if (card?.dataset['row']) onMove(card.dataset['row']);
    },
    close: onClose,
  });
  return (
    <div ref={board} className={styles['board']} role="region" aria-label="Board of tasks" tabIndex={0}>
      {columns.map((column) => (
        <Column key={column.name} column={column} filter={filter} peek={peek} onOpen={onOpen} />
      ))}
    </div>
  );
}

function Column({
  column: { name, status, tasks, total, isPending, error, retry },
  filter: { q, label, agent },
  peek,
  onOpen,
}: { column: BoardColumn } & Pick<BoardProps, 'filter' | 'peek' | 'onOpen'>) {
  const id = `column-${name.replace(' ', '-')}`;
  return (
    <section className={styles['column']} aria-labelledby={id}>
      <header className={styles['head']}>
        <h2 id={id} data-attention={(!status && total > 0) || undefined}>
          {name}
        </h2>
        <span className="muted">
          {formatNumber(total)}
          <span className="visually-hidden"> tasks</span>
        </span>
        {status ? (
          <Link
            className={styles['all'] ?? ''}
            to="/tasks"
            search={{ status, ...(q && { q }), ...(label && { label }), ...(agent && { agent }) }}
            aria-label={`Show all ${formatTasks(total)} of ${name}`}
          >
            Show all
          </Link>
        ) : (
          <Link className={styles['all'] ?? ''} to="/">
            Inbox
          </Link>
        )}
      </header>
      {error && <Problem error={error} onRetry={retry} />}
      {isPending && !error && <Loading rows={2} label={`Loading ${name}`} />}
      <ul className={styles['cards']}>
        {tasks.map((task) => (
          <BoardCard key={task.id} task={task} isOpen={task.id === peek} needsYou={!status} onOpen={onOpen} />
        ))}
      </ul>
      {tasks.length === 0 && !isPending && !error && <p className="muted">None</p>}
    </section>
  );
}
