export interface ScheduleRow {
  id: string;
  owner_id: string;
  name: string;
  cron: string | null;
  at: string | null;
  timezone: string;
  /** JSON: the task that each occurrence creates. */
  task: string;
  /** The environment variables of its tasks, as sealed JSON; only with the right to run commands. */
  env: string | null;
  /** Their names as a JSON list. */
  env_names: string | null;
  /** 1 when the creator may run commands. */
  may_command: number;
  overlap: string;
  catch_up: string;
  max_failures: number;
  status: string;
  paused_reason: string | null;
  /** Null unless it is active. */
  next_run_at: string | null;
  /** When `next_run_at` was computed; far in the future means that the clock was wrong. */
  planned_at: string;
  last_run_at: string | null;
  last_task_id: string | null;
  /** The latest task, while it is not known to be finished. */
  open_task_id: string | null;
  run_count: number;
  skipped_count: number;
  misfire_count: number;
  failure_count: number;
  waiting_count: number;
  /** Version for optimistic locking; increases with each write. */
  revision: number;
  created_at: string;
  updated_at: string;
}
