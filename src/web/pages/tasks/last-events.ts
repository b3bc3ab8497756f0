import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { TaskEvent } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { live } from '../../live/live-feed.ts';
import { addTaskEvent } from '../../live/task-rows.ts';
import { TaskTimeline } from '../../live/task-timeline.ts';
import { queryClient } from '../../queries/query-client.ts';

const PAGE = 5000;
/** More than what is shown, so that the end of a call still finds its beginning. */
const KEPT = { rows: 100, characters: 1_000_000 };

/** What happened to a task of late. Changed in place: `seq` is the newest event in it. */
export interface LastEvents {
  seq: number;
  timeline: TaskTimeline;
}

/** Takes each event once, also where an interrupted reading and the feed both bring it. */
class Recent {
  readonly #timeline = new TaskTimeline(KEPT);
  #seq = 0;

  add(events: readonly TaskEvent[]): LastEvents & { recent: Recent } {
    for (const event of events) {
      if (event.seq <= this.#seq) continue;
      this.#seq = event.seq;
      addTaskEvent(this.#timeline, event);
    }
    return { seq: this.#seq, timeline: this.#timeline, recent: this };
  }
}

const lastEventsQuery = (id: string) => {
  const queryKey = ['task', id, 'last-events'];
  return queryOptions({
    queryKey,
    // Continues after what was read before.
    queryFn: async ({ signal }) => {
      const known = queryClient.getQueryData<LastEvents & { recent: Recent }>(queryKey);
      const recent = known?.recent ?? new Recent();
      for (let last = recent.add([]); ;) {
        const { events, hasMore } = await client.tasks.listEvents(
          { params: { id }, query: { after: last.seq, limit: PAGE } },
          { signal },
        );
        last = recent.add(events);
        if (!hasMore) return last;
      }
    },
  });
};

/** What happened to a task of late, as it happens. */
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
        queryClient.setQueryData(queryKey, known.recent.add([message.event]));
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
