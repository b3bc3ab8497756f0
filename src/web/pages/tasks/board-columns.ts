import { useQuery } from '@tanstack/react-query';
import type { ListedTask } from '../../../contract/task.ts';
import { useNeedsYou } from '../../components/use-needs-you.ts';
import { type TaskFilter, taskRowsQuery } from '../../queries/tasks.ts';

/** How many cards a column has. */
const CARDS = 50;
/** All that run: those that need a person are among them. */
const RUNNING = 500;

export interface BoardColumn {
  name: string;
  /** Which states the list shows instead; undefined where the list has no such filter. */
  status: string | undefined;
  tasks: readonly ListedTask[];
  total: number;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

function useColumn(name: string, status: string, filter: TaskFilter, limit = CARDS): BoardColumn {
  const { data, isPending, error, refetch } = useQuery(taskRowsQuery({ ...filter, status }, { limit }));
  return {
    name,
    status,
    tasks: data?.tasks.slice(0, limit) ?? [],
    total: data?.total ?? 0,
    isPending,
    error: data ? null : error,
    retry: () => void refetch(),
  };
}

/** The columns are states. Nothing is dragged: what moves a task is its work, or an action. */
export function useBoardColumns({ q, label, agent }: TaskFilter): BoardColumn[] {
  const filter = { q, label, agent };
  const waitsForPerson = useNeedsYou();
  const waiting = useColumn('Waiting', 'pending,queued', filter);
  const running = useColumn('Running', 'in_progress', filter, RUNNING);
  const done = useColumn('Done', 'completed,cancelled', filter);
  const failed = useColumn('Failed', 'failed', filter);
  const needsYou = running.tasks.filter(({ id }) => waitsForPerson.has(id));
  const working = running.tasks.filter(({ id }) => !waitsForPerson.has(id));
  return [
    waiting,
    { ...running, tasks: working.slice(0, CARDS), total: running.total - needsYou.length },
    {
      ...running,
      name: 'Needs you',
      status: undefined,
      tasks: needsYou.slice(0, CARDS),
      total: needsYou.length,
      error: null,
    },
    done,
    failed,
  ];
}
