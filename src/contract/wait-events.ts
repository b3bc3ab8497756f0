import type { TaskEventType } from './task.ts';

/** The events that say when the next attempt starts: after a failure, and after the reset of a usage limit. */
export const waitEventTypes: readonly TaskEventType[] = ['retry_scheduled', 'deferred'];
