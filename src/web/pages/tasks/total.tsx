import type { TaskFilter } from '../../queries/tasks.ts';
import { formatNumber } from '../../components/format-number.ts';
import { useFirstBlock } from './task-blocks.ts';

/** How many tasks match. */
export function Total({ filter }: { filter: TaskFilter }) {
  const { data } = useFirstBlock(filter);
  return (
    <span role="status">
      {data && formatNumber(data.total)}
      {data?.totalIsLowerBound && '+'}
      {data && <span className="visually-hidden"> tasks</span>}
    </span>
  );
}
