import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The files that a task changed, without their lines. Below the key of the task, so that they are read again with it. */
export const changedFilesQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id, 'changes'],
    queryFn: () => client.tasks.listChangedFiles({ params: { id } }),
  });

/** The patch of one of them, part by part. */
export const filePatchQuery = (id: string, path: string) =>
  infiniteQueryOptions({
    queryKey: ['task', id, 'changes', path],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      client.tasks.getFilePatch({ params: { id }, query: { path, offset } }),
    getNextPageParam: ({ nextOffset }) => nextOffset,
  });
