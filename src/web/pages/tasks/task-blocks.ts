import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { BLOCK_ROWS, type TaskFilter, taskRowsQuery } from '../../queries/tasks.ts';

/** How many rows before and after those on the screen are there before somebody scrolls to them. */
const AHEAD = 50;

/** The first part of the list, which also says how long the list is. */
export const useFirstBlock = (filter: TaskFilter) => useQuery(taskRowsQuery(filter));

export interface LoadedRows {
  /** Undefined where the row is not there yet. */
  taskAt: (index: number) => ListedTask | undefined;
  /** How many rows there are at least: a total that is a lower bound grows with what is read. */
  atLeast: number;
  error: Error | null;
  retry: () => void;
}

/** The parts of the list that hold the rows from `start` to `end`. */
export function useBlocks(
  filter: TaskFilter,
  { start, end, total }: { start: number; end: number; total: number },
): LoadedRows {
  const first = Math.floor(Math.max(0, start - AHEAD) / BLOCK_ROWS);
  const last = Math.floor(Math.max(0, Math.min(total - 1, end + AHEAD)) / BLOCK_ROWS);
  // The list renders with every turn of the wheel, and needs other parts only now and then.
  const queries = useMemo(
    () =>
      Array.from({ length: last - first + 1 }, (_, at) =>
        taskRowsQuery(filter, { offset: (first + at) * BLOCK_ROWS }),
      ),
    [filter, first, last],
  );
  const blocks = useQueries({ queries });
  return {
    taskAt: (index) => blocks[Math.floor(index / BLOCK_ROWS) - first]?.data?.tasks[index % BLOCK_ROWS],
    atLeast: Math.max(total, ...blocks.map(({ data }) => data?.total ?? 0)),
    error: blocks.find(({ error, data }) => error && !data)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of blocks) if (error) void refetch();
    },
  };
}
