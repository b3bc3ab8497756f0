import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** Everybody with an account; for administrators. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: () => client.users.list().then(({ users }) => users),
});

/** The invites, newest first; for administrators. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: () => client.invites.list().then(({ invites }) => invites),
});
