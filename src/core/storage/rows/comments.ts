import type { WireName } from '../../../contract/vendors.ts';

/** The status comment at the source of a task. */
export interface SourceCommentRow {
  task_id: string;
  provider: WireName;
  /** The user whose connection writes it. */
  owner_id: string;
  /** JSON: the target of the comment. */
  target: string;
  /** The id of the comment at the vendor, once it is known. */
  comment_id: string | null;
  /** The task state that the comment shows. */
  written: string | null;
  /** 1 while it may have been written but its id is unknown. */
  is_uncertain: number;
  /** The state that is being written; `attempts` and `next_attempt_at` belong to it. */
  tried: string | null;
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  created_at: string;
  /** When nothing is left to write. */
  ended_at: string | null;
}
