/** The session of an agent in which a task was worked on. */
export interface TaskSessionRow {
  task_id: string;
  agent: string;
  /** As the agent names it. */
  session_id: string;
  /** The directory of the session, a real path. */
  cwd: string;
  cli_version: string | null;
  /** Where it is; empty where there is only one host. */
  host: string;
  updated_at: string;
}
