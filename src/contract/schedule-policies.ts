import type { Schedule } from './schedules.ts';

/** What happens when a run is due and the previous one has not finished. */
export const overlapMeanings: Record<Schedule['overlap'], string> = {
  skip: 'skip the run',
  queue: 'start the run once the previous one has finished',
  cancel_previous: 'cancel the previous run',
};

/** What happens with runs that were due while the daemon was off. */
export const catchUpMeanings: Record<Schedule['catchUp'], string> = {
  skip: 'skip missed runs',
  run_once: 'run once for all missed runs',
};
