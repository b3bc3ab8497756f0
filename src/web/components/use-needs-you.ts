import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { approvalsQuery } from '../queries/approvals.ts';
import { unreadQuery } from '../queries/notifications.ts';

/** The running tasks that wait for a person, by ID: for a decision on a call, or for a choice among candidates. */
export function useNeedsYou(): ReadonlySet<string> {
  const { data: approvals } = useQuery(approvalsQuery);
  const { data: unread } = useQuery(unreadQuery);
  return useMemo(() => {
    const choices = unread?.notifications.filter(({ type }) => type === 'candidates_to_compare') ?? [];
    return new Set([...(approvals ?? []), ...choices].flatMap(({ taskId }) => taskId ?? []));
  }, [approvals, unread]);
}
