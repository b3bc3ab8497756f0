import type { Requirements } from '../placement.ts';

/** Which work the queue of this daemon takes; what it does not take is for the other daemons of the cluster. */
export interface Intake {
  /** Whether it takes work at all. */
  readonly isOpen: boolean;
  /** Whether it can run such work, or no other daemon can. */
  runs(work: Requirements): boolean;
}

/** A daemon that is alone takes everything. */
export const openIntake: Intake = { isOpen: true, runs: () => true };
