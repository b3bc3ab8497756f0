import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

/** The calls that wait for a decision, which the caller may make. */
export const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: () => client.approvals.list().then(({ approvals }) => approvals),
});

/** One call, whether or not it is decided. */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approval', id],
    queryFn: () => client.approvals.get({ params: { id } }).then(({ approval }) => approval),
  });
