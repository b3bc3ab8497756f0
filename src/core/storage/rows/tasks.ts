import type { TaskStatus } from '../../../contract/task.ts';

export interface TaskRow {
  seq: number;
  id: string;
  owner_id: string;
  title: string;
  status: TaskStatus;
  priority: number;
  source: string;
  source_id: string | null;
  source_url: string | null;
  repository: string | null;
  branch: string | null;
  labels: string;
  assigned_agent: string | null;
  agent_type: string | null;
  attempts: number;
  max_attempts: number;
  /** How often the task's run died together with its worker. */
  crashes: number;
  /** 1 when the creator may run commands. */
  may_command: number;
  /** 1 while an imported task waits for its release. */
  held: number;
  /** Counts claims; a worker writes only while this is still its own number. */
  fence: number;
  lease_owner: string | null;
  lease_until: string | null;
  /** The number of the newest event. */
  event_seq: number;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  completed_at: string | null;
  scheduled_for: string | null;
  retried_from: string | null;
  idempotency_key: string | null;
  cwd: string | null;
  /** The strictest mode that its creator asked for. */
  security_mode: string | null;
  /** 0 where a stranger's text is its prompt. */
  is_trusted: number;
  error: string | null;
  metadata: string | null;
  description: string | null;
  prompt: string | null;
  result: string | null;
}

/** The short part of a task that state changes and events need. */
export type TaskHead = Omit<
  TaskRow,
  | 'description'
  | 'prompt'
  | 'metadata'
  | 'result'
  | 'error'
  | 'cwd'
  | 'security_mode'
  | 'is_trusted'
  | 'idempotency_key'
  | 'source_id'
>;

export interface TaskEventRow {
  task_seq: number;
  seq: number;
  type: string;
  at: string;
  message: string;
  data: string;
}

/** One cell of the counts that lists and health read instead of counting rows. */
export interface TaskCountRow {
  owner_id: string;
  status: string;
  priority: number;
  source: string;
  agent: string;
  n: number;
  /** Milliseconds, the sum over the tasks of the cell. */
  duration: number;
}

export interface TaskDayRow {
  owner_id: string;
  day: string;
  created: number;
  completed: number;
  failed: number;
}

export interface IdempotencyKeyRow {
  owner_id: string;
  scope: string;
  key: string;
  body_hash: string;
  answer: string;
  created_at: string;
}
