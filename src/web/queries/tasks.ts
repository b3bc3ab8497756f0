import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import type { ListedTask } from '../../contract/task.ts';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';

/** Which tasks a list shows; the search of its URL. */
export interface TaskFilter {
  /** One state or more, with commas between them. */
  status?: string | undefined;
  q?: string | undefined;
  label?: string | undefined;
  agent?: string | undefined;
}

export interface TaskPage {
  tasks: ListedTask[];
  total: number;
  totalIsLowerBound?: true | undefined;
  nextCursor?: string | undefined;
}

/** What a row of the tasks page shows. */
const rowFields =
  'id,title,status,repository,cwd,labels,assignedAgent,agentType,createdAt,startedAt,completedAt,scheduledFor,held,daemon';

/** The rows of the tasks page that are read at once. */
export const BLOCK_ROWS = 100;

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id],
    queryFn: async () => {
      const { task, session } = await client.tasks.get({ params: { id } });
      queryClient.setQueryData(taskSessionQuery(id).queryKey, session ?? null);
      return task;
    },
  });

/** The session of the agent of a task, which another task can continue; read together with the task. */
export const taskSessionQuery = (id: string) =>
  queryOptions<{ agent: string; id: string } | null>({ queryKey: ['task-session', id], queryFn: skipToken });

/** The candidates of a task with `bestOf`. */
export const candidatesQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id, 'candidates'],
    queryFn: () => client.tasks.getCandidates({ params: { id } }),
  });

/** Where the time of a task went. */
export const traceQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id, 'trace'],
    queryFn: ({ signal }) => client.tasks.getTrace({ params: { id } }, { signal }),
  });

/** The conditions of a filter, as a request names them. */
export const conditionsOf = ({ status, q, label, agent }: TaskFilter) => ({
  ...(status && { status }),
  ...(q && { q }),
  ...(label && { labels: label }),
  ...(agent && { agent }),
});

/** The tasks that match, newest first, page by page. */
export const tasksQuery = ({ status, q, label, agent }: TaskFilter, limit = 200) =>
  infiniteQueryOptions({
    queryKey: ['tasks', { status, q, label, agent, limit }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }): Promise<TaskPage> =>
      client.tasks.filter({
        query: { ...conditionsOf({ status, q, label, agent }), ...(cursor && { cursor }), limit },
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/**
 * A part of the tasks that match, newest first. Each part is read alone: what is not on the screen costs nothing when a
 * task changes, and the end of the list is as near as its beginning.
 */
export const taskRowsQuery = (
  { status, q, label, agent }: TaskFilter,
  { offset = 0, limit = BLOCK_ROWS } = {},
) =>
  queryOptions({
    queryKey: ['tasks', { status, q, label, agent, offset, limit }],
    queryFn: ({ signal }): Promise<TaskPage> =>
      client.tasks.filter(
        { query: { ...conditionsOf({ status, q, label, agent }), offset, limit, fields: rowFields } },
        { signal },
      ),
    gcTime: 60_000,
  });
