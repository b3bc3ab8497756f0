import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import { type QueuedWork, workOf } from './task-queue.ts';

const payload = z.object({
  v: z.literal(1),
  priority: z.number().int(),
  owner: z.string(),
  agent: z.string(),
  /** Absent where an older daemon added it. */
  needs: z.array(z.string()).default([]),
  lane: z.enum(['task', 'interactive', 'suspect']),
  /** When it is to be delivered, in milliseconds since 1970; of delayed ones alone. */
  due: z.number().optional(),
});

/** What a wake-up says about its task, so that it can take its fair turn without a look at its row. */
export type WakeUpPayload = z.input<typeof payload>;

export const toPayload = (work: QueuedWork): WakeUpPayload => ({
  v: 1,
  ...work,
  needs: [...work.needs],
});

/** The work of a wake-up. One of another version still wakes: the row decides what happens. */
export function workOfPayload(data: unknown): QueuedWork {
  const known = safeParse(payload, data);
  return workOf(known.success ? known.data : {});
}

/** The queue of a route, such as `ai-tasks@host%3Aweb-2`: BullMQ allows no colon in the name of a queue. */
export const nameOfJobs = (name: string, route: string): string =>
  (route === '' ? name : `${name}@${route}`).replaceAll(':', '%3A');
