import { sql } from 'kysely';
import type { TaskEvent } from '../../contract/task.ts';
import type { Database } from '../storage/database.ts';
import { toTaskEvent } from './task-mapping.ts';

export interface PageLimit {
  count: number;
  bytes: number;
}

/**
 * The events of a task after one, as many as the limit allows and at least one. Their sizes are read first, so that what
 * is too much is never read.
 */
export async function readEventPage(
  { read }: Pick<Database, 'read'>,
  task: { id: string; seq: number },
  after: number,
  limit: PageLimit,
): Promise<{ events: TaskEvent[]; hasMore: boolean }> {
  const following = read
    .selectFrom('task_events')
    .where('task_seq', '=', task.seq)
    .where('seq', '>', after)
    .orderBy('seq');
  const sizes = await following
    .select(['seq', sql<number>`octet_length(message) + octet_length(data)`.as('bytes')])
    .limit(limit.count + 1)
    .execute();
  const length = pageLength(
    sizes.map(({ bytes }) => bytes),
    limit,
  );
  const last = sizes[length - 1];
  if (!last) return { events: [], hasMore: false };
  const rows = await following
    .select(['seq', 'type', 'at', 'message', 'data'])
    .where('seq', '<=', last.seq)
    .execute();
  return { events: rows.map((row) => toTaskEvent(task.id, row)), hasMore: length < sizes.length };
}

function pageLength(sizes: number[], { count, bytes }: PageLimit): number {
  let sum = 0;
  const over = sizes.findIndex((size, at) => {
    sum += size;
    return at > 0 && (at >= count || sum > bytes);
  });
  return over < 0 ? sizes.length : over;
}
