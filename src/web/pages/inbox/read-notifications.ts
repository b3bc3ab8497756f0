import { useState } from 'react';
import type { Notification } from '../../../contract/notifications.ts';
import { client } from '../../client.ts';
import { delay } from '../../components/undo.tsx';
import { inboxQuery } from '../../queries/inbox.ts';
import { queryClient } from '../../queries/query-client.ts';

/** Marks notifications as read, unless that is taken back; until it is done, they are hidden here. */
export function useReading() {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const read = (ids: readonly string[], message: string, mark: () => Promise<unknown>) => {
    setHidden((before) => new Set([...before, ...ids]));
    delay(message, {
      commit: async () => {
        await mark();
        await queryClient.invalidateQueries({ queryKey: inboxQuery.queryKey });
      },
      revert: () => setHidden((before) => new Set([...before].filter((id) => !ids.includes(id)))),
    });
  };
  return {
    hidden,
    readOne: ({ id }: Notification) =>
      read([id], 'Marked as read.', () => client.notifications.markRead({ params: { id } })),
    /** `shown` are the newest ones, newest first; those that come later stay unread. */
    readAll: (shown: readonly Notification[]) => {
      const [newest] = shown;
      if (!newest) return;
      read(
        shown.map(({ id }) => id),
        'All marked as read.',
        () => client.inbox.markRead({ body: { until: newest.createdAt } }),
      );
    },
  };
}
