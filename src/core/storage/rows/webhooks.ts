export interface WebhookRow {
  id: string;
  owner_id: string;
  /** 1 where an administrator registered it, so that it gets the events of all users. */
  sees_all: number;
  url: string;
  /** JSON list. */
  events: string;
  /** `json` or `text`. */
  format: string;
  status: string;
  /** Sealed. */
  secret: string;
  /** Sealed; also signs until `previous_until`. */
  previous_secret: string | null;
  previous_until: string | null;
  /** Sealed; the bearer token for the receiver. */
  token: string | null;
  description: string | null;
  delivery_count: number;
  failure_count: number;
  last_delivery_at: string | null;
  failing_since: string | null;
  created_at: string;
}

/** One event for one webhook: an outbox entry, written with the change itself, and the log of its attempts. */
export interface WebhookDeliveryRow {
  id: string;
  webhook_id: string;
  event: string;
  task_id: string | null;
  /** The approval of an event about one. */
  approval_id: string | null;
  /** The event as JSON: what is sent, or what the text is made of. */
  body: string;
  status: string;
  attempt: number;
  /** JSON list of the attempts. */
  history: string;
  status_code: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number | null;
  at: string;
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}
