/** Rows of what comes in from other systems, what they are told, and what the calendar starts. */
export interface InboundDeliveryRow {
  id: string;
  provider: string;
  /** As the sender names it; a hash of the body where it names none. */
  delivery_id: string;
  /** SHA-256 of the bytes: the same event may come by two hooks, under two ids. */
  body_hash: string;
  event: string;
  action: string | null;
  status: string;
  reason: string | null;
  task_id: string | null;
  source_id: string | null;
  sender: string | null;
  copies: number;
  bytes: number;
  /** The JSON as it came, while it is kept. */
  payload: string | null;
  received_at: string;
  last_received_at: string;
  replay_of: string | null;
}

/** Which task an issue, a comment or a check made last: while it has not ended, there is no second one. */
export interface SourceClaimRow {
  provider: string;
  content_key: string;
  task_id: string;
  claimed_at: string;
}

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

export interface WebhookRow {
  id: string;
  owner_id: string;
  /** 1 where an administrator registered it, who sees everybody's tasks. */
  sees_all: number;
  url: string;
  /** JSON list. */
  events: string;
  status: string;
  /** Sealed. */
  secret: string;
  /** Sealed; signs too until `previous_until`. */
  previous_secret: string | null;
  previous_until: string | null;
  description: string | null;
  delivery_count: number;
  failure_count: number;
  last_delivery_at: string | null;
  failing_since: string | null;
  created_at: string;
}

/** One event for one webhook: the outbox, written with the change that it tells of, and the log of its attempts. */
export interface WebhookDeliveryRow {
  id: string;
  webhook_id: string;
  event: string;
  task_id: string | null;
  /** The exact text of each attempt. */
  body: string;
  status: string;
  attempt: number;
  /** JSON list of the attempts. */
  history: string;
  status_code: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number | null;
  at: string;
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface ScheduleRow {
  id: string;
  owner_id: string;
  name: string;
  cron: string | null;
  at: string | null;
  timezone: string;
  /** JSON: what each run is. */
  task: string;
  /** 1 when its creator may run commands. */
  may_command: number;
  overlap: string;
  catch_up: string;
  max_failures: number;
  status: string;
  paused_reason: string | null;
  /** Only while it is active. */
  next_run_at: string | null;
  /** When `next_run_at` was decided: long after now, the clock was wrong then. */
  planned_at: string;
  last_run_at: string | null;
  last_task_id: string | null;
  /** The run that has not ended yet, as far as is known. */
  open_task_id: string | null;
  run_count: number;
  skipped_count: number;
  misfire_count: number;
  failure_count: number;
  waiting_count: number;
  /** Rises with each write: who decided by an older row writes nothing. */
  revision: number;
  created_at: string;
  updated_at: string;
}
