/** Rows of who may do what: accounts, sessions, tokens, connections, devices. */
export interface UserRow {
  id: string;
  email: string;
  name: string;
  role: string;
  created_at: string;
  /** A PHC string; null for who signs in in another way. */
  password_hash: string | null;
  avatar_url: string | null;
  bio: string | null;
  timezone: string | null;
  locale: string | null;
  onboarding_completed: number;
  disabled_at: string | null;
}

export interface SessionRow {
  id: string;
  token_hash: string;
  user_id: string;
  kind: string;
  /** The most that the session may do, whatever its user may. */
  role: string;
  device_id: string | null;
  user_agent: string | null;
  address: string | null;
  created_at: string;
  last_seen_at: string;
  expires_at: string | null;
}

export interface InviteRow {
  id: string;
  code_hash: string;
  email: string | null;
  role: string;
  created_by: string;
  created_at: string;
  expires_at: string;
  used_by: string | null;
  used_at: string | null;
}

export interface ApiTokenRow {
  id: string;
  user_id: string;
  name: string;
  prefix: string;
  /** The device that made it; it goes with the device. */
  device_id: string | null;
  token_hash: string;
  /** JSON list. */
  scopes: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

/** Secrets that are good for one use: sign-in links and the states of OAuth. */
export interface OneTimeTokenRow {
  token_hash: string;
  purpose: string;
  /** JSON, sealed. */
  data: string;
  expires_at: string;
}

/** An account at a vendor that a user signed in with or connected; its tokens are sealed. */
export interface ConnectionRow {
  user_id: string;
  provider: string;
  account_id: string;
  /** JSON of what the vendor says of the account. */
  account: string;
  /** JSON list. */
  scopes: string;
  access_token: string;
  refresh_token: string | null;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface DeviceRow {
  id: string;
  user_id: string;
  /** The device whose session let it in; it goes with that one. */
  approved_by: string | null;
  name: string;
  role: string;
  public_key: string | null;
  created_at: string;
}

export interface PairingRequestRow {
  id: string;
  /** Of the requestId that its holder polls with. */
  secret_hash: string;
  /** Of the requestId of the device that scanned the QR code; it gets the token then. */
  claim_hash: string | null;
  code_hash: string;
  requester_id: string;
  meta: string;
  public_key: string | null;
  address: string | null;
  status: string;
  /** Who asked for the QR code. */
  created_by: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
  /** What the approver called themselves; `decided_by` is who it was. */
  approver_label: string | null;
  device_id: string | null;
  role: string | null;
  reason: string | null;
  /** When the token was given. */
  delivered_at: string | null;
}

export interface UsedNonceRow {
  nonce_hash: string;
  expires_at: string;
}

export interface GatewayRequestRow {
  id: string;
  task_id: string;
  user_id: string;
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

/** One entry of the audit log: of a security event, or of the call of a tool. */
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
  /** The same in the entry before and after the call of a tool. */
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
