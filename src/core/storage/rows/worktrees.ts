/**
 * `creating`: it may be there in part. `created`: Git knows it, and it is not set up. `ready`: an agent may have worked in
 * it. `discarded`: it is removed.
 */
export type WorktreeState = 'creating' | 'created' | 'ready' | 'discarded';

/** The Git worktree in which a task works. */
export interface WorktreeRow {
  task_id: string;
  /** Where it is; empty where there is only one host. */
  host: string;
  /** The real path of the directory that all worktrees of the repository share. */
  repository: string;
  /** The real path of the root of the checkout that the task named. */
  checkout: string;
  /** The root of the worktree. */
  path: string;
  /** The directory in the worktree where the task works; empty for its root. */
  subdirectory: string;
  branch: string;
  /** The id of the commit at which it began. */
  base: string;
  /** The first of its ten ports; null where it has none. */
  port_base: number | null;
  state: WorktreeState;
  created_at: string;
}
