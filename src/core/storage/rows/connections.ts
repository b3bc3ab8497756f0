/** An account at a vendor that a user signed in with or connected; its tokens are sealed. */
export interface ConnectionRow {
  owner_id: string;
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
