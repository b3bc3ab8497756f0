import type { Requirements } from '../placement.ts';
import type { Intake } from '../queue/intake.ts';
import type { TaskPlacement } from './task-placement.ts';

/** Takes the tasks that this daemon can run, and leaves the others to the daemons that can. */
export class DaemonIntake implements Intake {
  /** False while the daemon drains. */
  isOpen = true;
  readonly #placement: Pick<TaskPlacement, 'isHere' | 'isElsewhere'>;
  constructor(placement: Pick<TaskPlacement, 'isHere' | 'isElsewhere'>) {
    this.#placement = placement;
  }

  runs(work: Requirements): boolean {
    return this.#placement.isHere(work) || !this.#placement.isElsewhere(work);
  }
}
