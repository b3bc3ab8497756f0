export interface GatewayRequestRow {
  id: string;
  task_id: string;
  owner_id: string;
  token_id: string;
  workflow: string | null;
  created_at: string;
}

/** What a notifyUrl is told; waits for the end of its task, then for each attempt. */
export interface NotifyDeliveryRow {
  id: string;
  request_id: string;
  task_id: string;
  token_id: string;
  url: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  /** The exact text of each attempt, once the task has ended. */
  body: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  ended_at: string | null;
}
