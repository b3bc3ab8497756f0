import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';

const FILES = 100;

/** How much is indexed, how it is searched, and what a sync does now; the feed says when to read it again. */
export const memoryStatsQuery = queryOptions({
  queryKey: ['memory', 'stats'],
  queryFn: () => client.memory.getStats(),
});

/** Whether the folders are watched. */
export const watcherQuery = queryOptions({
  queryKey: ['memory', 'watcher'],
  queryFn: () => client.memory.getWatcherStatus(),
});

/** The indexed files by path, page by page. */
export const indexedFilesQuery = infiniteQueryOptions({
  queryKey: ['memory', 'files'],
  initialPageParam: 0,
  queryFn: ({ pageParam: offset }) => client.memory.listFiles({ query: { limit: FILES, offset } }),
  getNextPageParam: ({ total, offset, limit }) => (offset + limit < total ? offset + limit : undefined),
});

/** The parts of one file. */
export const chunksQuery = (path: string) =>
  queryOptions({
    queryKey: ['memory', 'chunks', path],
    queryFn: () => client.memory.listChunks({ params: { path } }).then(({ chunks }) => chunks),
  });

const searchBody = (query: string, under: string | undefined) => ({
  body: { query, ...(under && { under }) },
});

/** What is found, the best first. */
export const memorySearchQuery = (query: string, under: string | undefined) =>
  queryOptions({
    queryKey: ['memory', 'search', query, under],
    queryFn: () => client.memory.search(searchBody(query, under)),
    enabled: query !== '',
  });

/** How the score of each result came about. */
export const memoryReasonsQuery = (query: string, under: string | undefined) =>
  queryOptions({
    queryKey: ['memory', 'why', query, under],
    queryFn: () => client.memory.explainSearch(searchBody(query, under)),
    enabled: query !== '',
  });

export const refreshMemory = () => queryClient.invalidateQueries({ queryKey: ['memory'] });
