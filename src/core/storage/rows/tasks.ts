import type { TaskStatus } from '../../../contract/task.ts';

/**
 * The short columns of a task, which state changes and events need. Types are those of every engine: text, integer, JSON
 * as text, times as ISO text. `tasks/task-columns.ts` maps them to the fields of a task.
 */
export interface TaskHead {
  seq: number;
  id: string;
  owner_id: string;
  title: string;
  status: TaskStatus;
  priority: number;
  source: string;
  source_url: string | null;
  repository: string | null;
  branch: string | null;
  labels: string;
  cwd: string | null;
  /** JSON: the labels that a daemon needs to run it. */
  needs: string | null;
  /** The host of its first run, where its directory is; null where it may run on any. */
  home: string | null;
  /** JSON: the daemon of its latest run, with its host; null unless one of a cluster ran it. */
  daemon: string | null;
  assigned_agent: string | null;
  agent_type: string | null;
  attempts: number;
  max_attempts: number;
  /** 1 where a command that exits with an error is run again. */
  retry_on_failure: number;
  /** 1 where a client follows it to its end, so that its failure needs no dead letter. */
  attached: number;
  /** Number of crashes of the daemon that count against the task. */
  crashes: number;
  /** Number of crashes of the daemon that its runs may have caused; above 0 it runs apart from other suspects. */
  suspect: number;
  /** What speaks against it, as JSON: one entry per crash that counts. */
  crash_log: string | null;
  /** Attempts that were not counted because a crash interrupted them. */
  forgiven: number;
  /** Number of runs in a row that an outage of a service ended. */
  outages: number;
  outage_since: string | null;
  /** 1 where a person waits for it in a conversation. */
  interactive: number;
  /** 1 when the creator may run commands. */
  may_command: number;
  /** JSON: the administrator's rule that lets its agent run programs in the sandbox all the same, see `agent-grant.ts`. */
  agent_rule: string | null;
  /** 1 while an imported task waits for its release. */
  held: number;
  /** Counts claims; a worker writes only while its own claim is the latest. */
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
  /** JSON: how many candidates there are, of which agents, and who chooses. */
  best_of: string | null;
  /** The task of which it is a candidate. */
  parent_id: string | null;
  /** JSON: its current span in a trace, where telemetry is exported, see `telemetry/stored-context.ts`. */
  trace_context: string | null;
}

/** All columns of a task. */
export interface TaskRow extends TaskHead {
  source_id: string | null;
  idempotency_key: string | null;
  /** The environment variables of its command, as sealed JSON. */
  env: string | null;
  /** Their names, as a JSON list. */
  env_names: string | null;
  umask: number | null;
  /** JSON: whether it works in a Git worktree of its own; null where its agent decides. */
  worktree: string | null;
  memory_scope: string | null;
  /** The security mode that the creator requested. */
  security_mode: string | null;
  /** JSON: the commands that verify it. */
  verify: string | null;
  /** How often its agent may repair what they found. */
  repair: number | null;
  model: string | null;
  provider: string | null;
  max_steps: number | null;
  max_budget: number | null;
  max_cost_usd: string | null;
  max_time_ms: number | null;
  /** The task whose session it continues. */
  continues: string | null;
  /** JSON: the candidate that was chosen. */
  choice: string | null;
  /** JSON. */
  output_schema: string | null;
  /** The API token that created it. */
  token_id: string | null;
  /** 0 where untrusted text is its prompt. */
  is_trusted: number;
  error: string | null;
  metadata: string | null;
  description: string | null;
  prompt: string | null;
  result: string | null;
}

export interface TaskEventRow {
  task_seq: number;
  seq: number;
  type: string;
  at: string;
  message: string;
  data: string;
}

/** One counter that lists and health read instead of counting rows. */
export interface TaskCountRow {
  owner_id: string;
  status: string;
  priority: number;
  source: string;
  agent: string;
  n: number;
  /** Total of the tasks in this cell, in milliseconds. */
  duration: number;
}

/** One label of a task, in the order in which its tasks are listed. */
/** The words of a task as PostgreSQL indexes them; null until they are. */
export interface TaskWordsRow {
  task_seq: number;
  words: string | null;
}

export interface TaskLabelRow {
  label: string;
  created_at: string;
  task_seq: number;
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
