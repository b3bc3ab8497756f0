import { useCallback, useState } from 'react';
import type { TaskFilter } from '../../queries/tasks.ts';
import { useFirstBlock } from './task-blocks.ts';

/** How many rows a list has. A total that is a lower bound grows when more rows are read, until the filter changes. */
export function useGrowingCount(filter: TaskFilter, total: number) {
  const isLowerBound = useFirstBlock(filter).data?.totalIsLowerBound === true;
  const key = JSON.stringify(filter);
  const [known, setKnown] = useState({ key, rows: 0 });
  const reach = useCallback(
    (rows: number) => setKnown((last) => (last.key === key && last.rows >= rows ? last : { key, rows })),
    [key],
  );
  return { count: isLowerBound && known.key === key ? Math.max(total, known.rows) : total, reach };
}
