export interface DeviceRow {
  id: string;
  owner_id: string;
  /** The device whose session approved it; revoked with that device. */
  approved_by: string | null;
  name: string;
  role: string;
  public_key: string | null;
  created_at: string;
  /** 1 where it may only look, decide and cancel. */
  limited: number;
}

export interface PairingRequestRow {
  id: string;
  /** Hash of the requestId that the requester polls with. */
  secret_hash: string;
  /** Hash of the requestId of the device that claimed the QR code and gets the token. */
  claim_hash: string | null;
  code_hash: string;
  requester_id: string;
  meta: string;
  public_key: string | null;
  address: string | null;
  status: string;
  /** The user who created the QR code. */
  created_by: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
  /** The label that the approver gave; `decided_by` is the user. */
  approver_label: string | null;
  device_id: string | null;
  role: string | null;
  reason: string | null;
  /** When the token was delivered. */
  delivered_at: string | null;
  /** 1 where the device may at most look, decide and cancel. */
  limited: number;
}

export interface UsedNonceRow {
  nonce_hash: string;
  expires_at: string;
}
