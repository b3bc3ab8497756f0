/** One entry of the audit log: a security event or a tool call. */
export interface AuditRow {
  seq: number;
  id: string;
  at: string;
  kind: string;
  /** The tool, or the name of the event. */
  tool: string;
  user_id: string | null;
  conversation_id: string | null;
  task_id: string | null;
  /** The same in the entries before and after a tool call. */
  call_id: string | null;
  address: string | null;
  /** JSON. */
  arguments: string;
  result: string;
  approved: number | null;
  decision: string | null;
  previous_hash: string;
  hash: string;
}
