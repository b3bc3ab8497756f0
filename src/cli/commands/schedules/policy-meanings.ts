import type { Schedule } from '../../../contract/schedules.ts';

/** What happens at a time when the run before has not ended. */
export const overlapMeanings: Record<Schedule['overlap'], string> = {
  skip: 'skip the new run while the previous one is running',
  queue: 'wait until the previous run has finished',
  cancel_previous: 'cancel the previous run',
};

/** What happens with times at which the daemon was off. */
export const catchUpMeanings: Record<Schedule['catchUp'], string> = {
  skip: 'skip missed times',
  run_once: 'run once for all missed times',
};
