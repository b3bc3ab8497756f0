export interface ApprovalRow {
  id: string;
  /** The run whose call it is, and the id that the model gave the call. */
  run_id: string;
  call_id: string;
  owner_id: string;
  conversation_id: string | null;
  task_id: string | null;
  /** What `allow-always` is for: the conversation, else the task. */
  scope_id: string;
  tool: string;
  /** JSON. */
  arguments: string;
  cwd: string;
  danger: string;
  reason: string;
  /** A hash of everything that must not change between the decision and the call. */
  binding: string;
  status: string;
  decision: string | null;
  requested_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
  /** When the call ran: an approval is good for one. */
  used_at: string | null;
}

export interface AllowedToolRow {
  scope_id: string;
  tool: string;
  allowed_by: string;
  allowed_at: string;
}
