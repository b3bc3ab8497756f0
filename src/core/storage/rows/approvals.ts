export interface ApprovalRow {
  id: string;
  /** The run of the call, and the id that the model gave the call. */
  run_id: string;
  call_id: string;
  owner_id: string;
  conversation_id: string | null;
  task_id: string | null;
  /** The scope of `allow-always`: the conversation, else the task. */
  scope_id: string;
  tool: string;
  /** JSON. */
  arguments: string;
  cwd: string;
  danger: string;
  reason: string;
  /** JSON: the files that the call runs, with their hashes; null where it runs none. */
  scripts: string | null;
  /** What `allow-always` would cover, as shown to the person, and a hash of it; null in rows of earlier versions. */
  covers: string | null;
  covers_key: string | null;
  /** Whether an allow-always with this coverage would have let the call run: 0 where it is asked for each time. */
  coverable: number;
  /** JSON: what the call changes in a file; null where it changes none. */
  diff: string | null;
  /** The state of that file from which the diff was made; part of the binding. */
  basis: string | null;
  /** JSON: the arguments that a person put in place of those of the model, with their secrets. */
  edited: string | null;
  /** JSON: the rights under which the call was reviewed; null in rows of earlier versions. */
  context: string | null;
  /** A hash of everything that must not change between the decision and the call. */
  binding: string;
  status: string;
  decision: string | null;
  requested_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
  /** Why it was denied, in the words of the person. */
  denial_reason: string | null;
  /** JSON: who decided it, and where; null in rows of earlier versions, and until then. */
  decider: string | null;
  /** When the call ran: an approval is valid for one call. */
  used_at: string | null;
}

/** A kind of call that is allowed in a conversation or task. */
export interface AllowedCallRow {
  scope_id: string;
  covers_key: string;
  tool: string;
  covers: string;
  allowed_by: string;
  allowed_at: string;
  /** Whether the person signed it: 1 or 0. */
  signed: number;
}

/** A tool that a person allowed as a whole. */
export interface AllowedToolRow {
  scope_id: string;
  tool: string;
  allowed_by: string;
  allowed_at: string;
  /** Whether the person signed it: 1 or 0. */
  signed: number;
}

/** A key that signs the decisions of one session, with which it ends. */
export interface SigningKeyRow {
  id: string;
  session_id: string;
  owner_id: string;
  device_id: string | null;
  algorithm: string;
  /** Base64. */
  public_key: string;
  /** The device or browser that holds the private half. */
  name: string;
  created_at: string;
  last_used_at: string | null;
  /** When its user removed it; its session can register no other then. */
  removed_at: string | null;
}
