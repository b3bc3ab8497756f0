import type { WireName } from '../../../contract/vendors.ts';

/** An account at a vendor that a user signed in with or connected; its tokens are sealed. */
export interface ConnectionRow {
  owner_id: string;
  provider: WireName;
  account_id: string;
  /** JSON: the account profile of the vendor. */
  account: string;
  /** JSON list. */
  scopes: string;
  access_token: string;
  refresh_token: string | null;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}
