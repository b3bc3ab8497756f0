import type { Schedule } from '../../../contract/schedules.ts';

/** What happens at a time when the run before has not ended. */
export const overlapMeanings: Record<Schedule['overlap'], string> = {
  skip: 'no run while the one before goes on',
  queue: 'a run waits for the one before to end',
  cancel_previous: 'a run ends the one before',
};

/** What happens with times at which the daemon was off. */
export const catchUpMeanings: Record<Schedule['catchUp'], string> = {
  skip: 'times that were missed stay left out',
  run_once: 'one run for all times that were missed',
};
