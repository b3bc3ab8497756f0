/** A run of a model with tools. */
export interface AgentRunRow {
  id: string;
  kind: string;
  /** Of a message: `attached` while its client waits for it, `waiting` for an approval, `running` without a client. */
  status: string;
  owner_id: string;
  conversation_id: string | null;
  task_id: string | null;
  /** JSON: the options of the message. */
  options: string;
  /** JSON: the `RunState`, from which the run can be resumed. */
  state: string | null;
  /** What the model has streamed since the state was saved. */
  partial: string | null;
  /** The daemon that runs a message, or resumes it once its approvals are decided; null in runs of earlier versions. */
  daemon: string | null;
  /** Increases each time that a daemon resumes the run. */
  fence: number;
  created_at: string;
  updated_at: string;
}
