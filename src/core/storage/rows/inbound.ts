import type { WireName } from '../../../contract/vendors.ts';

export interface InboundDeliveryRow {
  id: string;
  provider: WireName;
  /** The id that the sender gave; a hash of the body where it gave none. */
  delivery_id: string;
  /** SHA-256 of the body: two hooks may send the same event under two ids. */
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
  /** The received JSON, while it is retained. */
  payload: string | null;
  received_at: string;
  last_received_at: string;
  replay_of: string | null;
}

/** The latest task of an issue, comment or check; no second one is created until it finishes. */
export interface SourceClaimRow {
  provider: WireName;
  content_key: string;
  task_id: string;
  claimed_at: string;
}
