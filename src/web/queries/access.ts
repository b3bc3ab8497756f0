import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** One's own API tokens, newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => client.tokens.list().then(({ tokens }) => tokens),
});

/** Where one is signed in, newest first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => client.sessions.list().then(({ sessions }) => sessions),
});
