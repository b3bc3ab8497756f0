/** A browser that receives notifications, for as long as the session in it lasts. */
export interface PushSubscriptionRow {
  id: string;
  owner_id: string;
  session_id: string;
  device_id: string | null;
  /** Sealed: who knows it can send to the browser. */
  endpoint: string;
  endpoint_hash: string;
  /** The public key of the browser, base64url. */
  p256dh: string;
  /** Sealed: the secret that it shares with this daemon. */
  auth: string;
  /** JSON: what it wants to hear of. */
  kinds: string;
  created_at: string;
  last_sent_at: string | null;
  last_error: string | null;
}

/** A notification on its way to a browser; removed once it is there or too old. */
export interface PushMessageRow {
  id: string;
  subscription_id: string;
  body: string;
  topic: string;
  urgency: string;
  expires_at: string;
  attempts: number;
  next_attempt_at: string;
}
