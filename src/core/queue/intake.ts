/** Which work the queue of this daemon takes; what it does not take is for the other daemons of the cluster. */
export interface Intake {
  /** Whether it takes work at all. */
  readonly isOpen: boolean;
  /** Whether it can run this agent; the empty string stands for one that only the row names. */
  runs(agent: string): boolean;
}

/** A daemon that is alone takes everything. */
export const openIntake: Intake = { isOpen: true, runs: () => true };
