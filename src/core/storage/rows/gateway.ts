export interface GatewayRequestRow {
  id: string;
  task_id: string;
  owner_id: string;
  token_id: string;
  workflow: string | null;
  created_at: string;
  /** The context and the message (JSON) of a task that another agent sent (A2A); else null. */
  context_id: string | null;
  message: string | null;
}

/** The delivery to a notifyUrl; waits until its task finishes, unless an approval caused it, then for each attempt. */
export interface NotifyDeliveryRow {
  id: string;
  request_id: string;
  task_id: string;
  token_id: string;
  url: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  /** The exact body of each attempt; null while it waits. */
  body: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  ended_at: string | null;
  /** Of a notification to another agent (A2A): its id there, the context of the task, and sealed headers (JSON); else null. */
  config_id: string | null;
  context_id: string | null;
  headers: string | null;
  /** The approval that the task waits for, or after which it continues; null in the notification of its end. */
  approval_id: string | null;
  /** The version of the protocol in which another agent (A2A) gets it, if not the current one: `0.3`. */
  protocol: string | null;
}
