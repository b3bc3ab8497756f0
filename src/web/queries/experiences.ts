import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ExperienceType } from '../../contract/experiences.ts';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';

/** The feed says nothing of experiences, so a visible list is read again this often. */
const LIST_MS = 10_000;
const PAGE = 50;
const FOUND = 20;

/** Which experiences a list shows. */
export interface ExperienceFilter {
  type?: ExperienceType | undefined;
  tag?: string | undefined;
}

/** The experiences, highest weight first, page by page. */
export const experiencesQuery = ({ type, tag }: ExperienceFilter) =>
  infiniteQueryOptions({
    queryKey: ['experiences', 'list', type, tag],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      client.experiences.list({ query: { ...(type && { type }), ...(tag && { tag }), limit: PAGE, offset } }),
    getNextPageParam: ({ total, offset, limit }) => (offset + limit < total ? offset + limit : undefined),
    refetchInterval: LIST_MS,
  });

/** What a search finds, the best first. */
export const experienceSearchQuery = (q: string) =>
  queryOptions({
    queryKey: ['experiences', 'search', q],
    queryFn: () => client.experiences.search({ query: { q, limit: FOUND } }),
    enabled: q !== '',
  });

/** One experience, such as the one that a link names. */
export const experienceQuery = (id: string) =>
  queryOptions({
    queryKey: ['experiences', 'one', id],
    queryFn: () => client.experiences.get({ params: { id } }).then(({ experience }) => experience),
    enabled: id !== '',
  });

export const refreshExperiences = () => queryClient.invalidateQueries({ queryKey: ['experiences'] });
