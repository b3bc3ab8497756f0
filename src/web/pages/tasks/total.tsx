import type { TaskFilter } from '../../queries/tasks.ts';
import { formatCount } from './format-tasks.ts';
import { useFirstBlock } from './task-blocks.ts';

/** How many tasks match. */
export function Total({ filter }: { filter: TaskFilter }) {
  const { data } = useFirstBlock(filter);
  return (
    <span role="status">
      {data && `${formatCount(data.total)}${data.totalIsLowerBound ? '+' : ''}`}
      {data && <span className="visually-hidden"> tasks</span>}
    </span>
  );
}
