/** A run of a model with tools: of an agentic message, or of a message that waits for approvals. */
export interface AgentRunRow {
  id: string;
  kind: string;
  status: string;
  owner_id: string;
  conversation_id: string | null;
  task_id: string | null;
  /** JSON: what was asked for. */
  options: string;
  /** JSON: how far it is, so that it can go on from there. */
  state: string | null;
  created_at: string;
  updated_at: string;
}
