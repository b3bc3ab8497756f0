import type { RetentionKey } from '../config/retention-settings.ts';

/** Removes one kind of expired data; a setting defines how long it is kept. */
export interface RetentionRule {
  /** As `svc data prune` shows it. */
  name: string;
  setting: RetentionKey;
  /** Whether it is about files of this daemon, and not about rows of all. */
  isLocal?: boolean;
  /** Removes a bounded amount of data from before the time. */
  readonly remove: (before: string) => Promise<Removed>;
  /** Counts everything that `remove` would remove. */
  readonly count: (before: string) => Promise<number>;
}

export interface Removed {
  taken: number;
  hasMore: boolean;
}
