import type { Requirements } from '../placement.ts';

/** Through which queues wake-ups travel, so that a daemon gets those of tasks that it can run. */
export interface WakeUpRoutes {
  /** The queue of such work; empty for that of all daemons. `isLeft`: this daemon cannot run it. */
  of(work: Requirements, isLeft?: boolean): string;
  /** The queues that this daemon listens to beside that of all. */
  own(): string[];
}
