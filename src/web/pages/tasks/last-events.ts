import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { TaskEvent } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { live } from '../../live/live-feed.ts';
import { queryClient } from '../../queries/query-client.ts';

/** How many are shown. */
const LAST = 6;
const PAGE = 5000;

interface LastEvents {
  /** The number of the newest event that was read, shown or not. */
  seq: number;
  events: TaskEvent[];
}

/** Pieces of output are on the page of the task. */
const withEvents = (old: LastEvents, events: readonly TaskEvent[]): LastEvents => ({
  seq: events.at(-1)?.seq ?? old.seq,
  events: [...old.events, ...events.filter(({ type }) => type !== 'output')].slice(-LAST),
});

const lastEventsQuery = (id: string) => {
  const queryKey = ['task', id, 'last-events'];
  return queryOptions({
    queryKey,
    // Continues after what was read before.
    queryFn: async ({ signal }): Promise<LastEvents> => {
      let known = queryClient.getQueryData<LastEvents>(queryKey) ?? { seq: 0, events: [] };
      for (;;) {
        const { events, hasMore } = await client.tasks.listEvents(
          { params: { id }, query: { after: known.seq, limit: PAGE } },
          { signal },
        );
        known = withEvents(known, events);
        if (!hasMore) return known;
      }
    },
  });
};

/** The newest events of a task, as they happen. */
export function useLastEvents(id: string) {
  const query = lastEventsQuery(id);
  useEffect(() => {
    const { queryKey } = lastEventsQuery(id);
    const stopWatching = live.watchTask(id);
    const stopListening = live.onMessage((message) => {
      if (message.type !== 'task' || message.task.id !== id) return;
      const known = queryClient.getQueryData(queryKey);
      if (!known || message.event.seq <= known.seq) return;
      if (message.event.seq === known.seq + 1)
        queryClient.setQueryData(queryKey, withEvents(known, [message.event]));
      // Something is missing between.
      else void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
    });
    return () => {
      stopWatching();
      stopListening();
    };
  }, [id]);
  return useQuery(query);
}
