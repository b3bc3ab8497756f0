import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AuditSearch } from '../pages/settings/audit/audit-search.ts';
import { client } from '../client.ts';

/** The entries that are read at once. */
export const AUDIT_PAGE = 50;

/** A page of the audit log, newest first; for administrators. */
export const auditQuery = ({ tool, user, from, to, after = 0 }: AuditSearch) =>
  queryOptions({
    queryKey: ['audit', { tool, user, from, to, after }],
    queryFn: () =>
      client.audit.list({
        query: {
          limit: AUDIT_PAGE,
          offset: after,
          ...(tool && { tool }),
          ...(user && { userId: user }),
          ...(from && { from: moment(from, 'T00:00:00.000') }),
          ...(to && { to: moment(to, 'T23:59:59.999') }),
        },
      }),
    // Turning a page does not empty the list first.
    placeholderData: keepPreviousData,
  });

/** A day counts from its beginning to its end, where the reader is. */
function moment(text: string, time: string): string {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text + time : text);
  // The daemon says what is wrong with it.
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}
