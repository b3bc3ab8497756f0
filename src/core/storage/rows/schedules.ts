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
