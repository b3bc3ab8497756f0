export interface DeviceRow {
  id: string;
  owner_id: string;
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
