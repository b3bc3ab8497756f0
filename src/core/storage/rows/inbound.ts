export interface InboundDeliveryRow {
  id: string;
  provider: string;
  /** As the sender names it; a hash of the body where it names none. */
  delivery_id: string;
  /** SHA-256 of the bytes: the same event may come by two hooks, under two ids. */
  body_hash: string;
  event: string;
  action: string | null;
  status: string;
  reason: string | null;
  task_id: string | null;
  source_id: string | null;
  sender: string | null;
  copies: number;
  bytes: number;
  /** The JSON as it came, while it is kept. */
  payload: string | null;
  received_at: string;
  last_received_at: string;
  replay_of: string | null;
}

/** Which task an issue, a comment or a check made last: while it has not ended, there is no second one. */
export interface SourceClaimRow {
  provider: string;
  content_key: string;
  task_id: string;
  claimed_at: string;
}
