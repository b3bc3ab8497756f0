import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schedule } from '../../contract/schedules.ts';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';
import type { TaskPage } from './tasks.ts';

export type ScheduleStatus = Schedule['status'];

/** The feed says what becomes of their tasks; that a schedule was changed elsewhere is read this often. */
const LIST_MS = 10_000;
const PAGE = 50;
const RUNS = 25;

type SchedulePage = Awaited<ReturnType<typeof client.schedules.list>>;

/** The schedules, soonest first, page by page. */
export const schedulesQuery = (status: ScheduleStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ['schedules', 'list', status ?? 'all'],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      client.schedules.list({ query: { ...(status && { status }), limit: PAGE, offset } }),
    getNextPageParam: ({ total, offset, limit }) => (offset + limit < total ? offset + limit : undefined),
    refetchInterval: LIST_MS,
  });

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: () => client.schedules.get({ params: { id } }).then(({ schedule }) => schedule),
    refetchInterval: LIST_MS,
  });

/** The tasks that a schedule has created, newest first; kept current like all lists of tasks. */
export const scheduleRunsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['tasks', { schedule: id }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }): Promise<TaskPage> =>
      client.tasks.filter({
        query: { source: 'cron', sourceId: id, limit: RUNS, ...(cursor && { cursor }) },
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** Shows a schedule as it is now, wherever it is shown. */
export function putSchedule(schedule: Schedule): void {
  queryClient.setQueriesData<InfiniteData<SchedulePage> | Schedule>({ queryKey: ['schedules'] }, (old) => {
    if (!old) return undefined;
    if (!('pages' in old)) return old.id === schedule.id ? schedule : old;
    const pages = old.pages.map((page) => ({
      ...page,
      schedules: page.schedules.map((each) => (each.id === schedule.id ? schedule : each)),
    }));
    return { ...old, pages };
  });
}

export const refreshSchedules = () => queryClient.invalidateQueries({ queryKey: ['schedules'] });
