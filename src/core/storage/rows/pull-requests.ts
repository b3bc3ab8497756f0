/** The branch of a worktree at GitHub, and the pull request that was opened for it. */
export interface PullRequestRow {
  /** The task that has the worktree. */
  task_id: string;
  /** `owner/repo`, as GitHub spells it. */
  repository: string;
  branch: string;
  /** The commit that was pushed last. */
  pushed_commit: string;
  /** Null while there is none. */
  number: number | null;
  url: string | null;
  /** The GitHub account with which it was opened. */
  account: string;
  /** How many follow-up tasks there were. */
  follow_ups: number;
  updated_at: string;
}

/** A task that continues another one because of a review or a failed check. */
export interface FollowUpRow {
  task_id: string;
  /** The task that has the worktree. */
  worktree_task_id: string;
  /** 1 where its changes are pushed once it has completed. */
  pushes: number;
}

/** A push or a pull request of untrusted work, for which a person is asked. */
export interface PublicationRow {
  /** That of its approval. */
  id: string;
  task_id: string;
  /** JSON: what the pull request is to say; empty for a push. */
  options: string;
  /** JSON: the answer, or the error that it came to; null until it was tried. */
  outcome: string | null;
  requested_at: string;
}
