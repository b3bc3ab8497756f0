export interface UserRow {
  id: string;
  email: string;
  name: string;
  role: string;
  created_at: string;
  /** A PHC string; null for accounts without a password. */
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
  owner_id: string;
  kind: string;
  /** The upper limit of the rights of the session. */
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
  owner_id: string;
  name: string;
  prefix: string;
  /** The device that created it; deleted with the device. */
  device_id: string | null;
  token_hash: string;
  /** JSON list. */
  scopes: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  /** What its tasks may use on a day: tokens of models, and USD. */
  tokens_per_day: number | null;
  cost_per_day: number | null;
  tokens_per_month: number | null;
  cost_per_month: number | null;
  /** JSON list of the models that it may call; null for all. */
  models: string | null;
  /** What it may use in a minute: calls of models, and their tokens. */
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
}

/** Tokens that are valid once: sign-in links and OAuth states. */
export interface OneTimeTokenRow {
  token_hash: string;
  purpose: string;
  /** JSON, sealed. */
  data: string;
  expires_at: string;
}
