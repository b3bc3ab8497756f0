import type { PairingRequest, PairingStatus } from '../../contract/pairing.ts';
import type { Role } from '../../contract/users.ts';
import { hashToken } from '../auth/hash-token.ts';
import type { PairingRequestRow } from '../storage/rows/devices.ts';
import { fingerprintOf } from '../secrets/public-key.ts';

/** The status at this moment: a request that was not decided or not fetched in time has expired. */
export function statusOf(row: PairingRequestRow, now: string): PairingStatus {
  const isOpen = row.status === 'pending' || (row.status === 'approved' && row.delivered_at === null);
  return isOpen && row.expires_at <= now ? 'expired' : (row.status as PairingStatus);
}

/** The requester as a person compares it with the screen of the device. */
export const requesterOf = (row: PairingRequestRow) => ({
  requesterId: row.requester_id,
  ...(row.public_key !== null && { fingerprint: fingerprintOf(Buffer.from(row.public_key, 'base64')) }),
});

/** A version that changes when another device claims the code. */
export const versionOf = ({ claim_hash, requester_id, meta, public_key }: PairingRequestRow): string =>
  hashToken(JSON.stringify([claim_hash, requester_id, meta, public_key])).slice(0, 32);

export function toPairingRequest(row: PairingRequestRow, now: string): PairingRequest {
  const status = statusOf(row, now);
  return {
    id: row.id,
    version: versionOf(row),
    claimed: row.created_by === null || row.claim_hash !== null,
    limited: row.limited === 1,
    ...requesterOf(row),
    meta: JSON.parse(row.meta) as PairingRequest['meta'],
    ...(row.address !== null && { address: row.address }),
    status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decided_at !== null && { decidedAt: row.decided_at }),
    ...(status === 'approved' && row.decided_by !== null && { approvedBy: row.decided_by }),
    ...(status === 'approved' && row.approver_label !== null && { approverLabel: row.approver_label }),
    ...(row.role !== null && { role: row.role as Role }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}

/** The default name of the device. */
export function nameOf(row: PairingRequestRow): string {
  const { name } = JSON.parse(row.meta) as PairingRequest['meta'];
  return (typeof name === 'string' && toOneLine(name)) || toOneLine(row.requester_id) || 'Device';
}

const toOneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 100)
    // The slice may have cut a surrogate pair in half.
    .replace(/[\ud800-\udbff]$/, '');
