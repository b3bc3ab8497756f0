/** The one comment that tells the source of a task how it goes. */
export interface SourceCommentRow {
  task_id: string;
  provider: string;
  /** Whose connection writes it. */
  owner_id: string;
  /** JSON: where it belongs. */
  target: string;
  /** The vendor's id of it, once it is known. */
  comment_id: string | null;
  /** The state of the task that it says already. */
  written: string | null;
  /** 1 while it may have been written without anybody knowing its id. */
  is_uncertain: number;
  /** The state that is being written, which `attempts` and `next_attempt_at` belong to. */
  tried: string | null;
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  created_at: string;
  /** When nothing is left to write. */
  ended_at: string | null;
}
