import type { PendingPlace } from '../auth/pairing-store.ts';
import { AppError } from '../errors.ts';
import { addressKey } from '../limits/rate-limits.ts';

/** Of each user who shows QR codes, and of everybody who is not signed in. */
const MAX_PENDING = 1000;
const MAX_OF_ADDRESS = 5;
const RETRY_AFTER_MS = 60_000;

/**
 * The id of the pending request that gives way to a new one from this address, if there is no room: the oldest unclaimed
 * of the same address if that has too many, otherwise of the address that has most. `pending` is ordered, oldest first;
 * null is an address without a limit of its own.
 */
export function slotFor(pending: readonly PendingPlace[], address: string | null): string | undefined {
  // Behind a claimed code a device waits already.
  const unclaimed = pending.filter(({ claim_hash }) => claim_hash === null);
  if (address !== null) {
    const own = unclaimed.filter((slot) => keyOf(slot.address) === keyOf(address));
    if (own.length >= MAX_OF_ADDRESS) return own[0]?.id;
  }
  if (pending.length < MAX_PENDING) return undefined;
  const counts = new Map<string, number>();
  for (const slot of unclaimed) counts.set(keyOf(slot.address), (counts.get(keyOf(slot.address)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const leaving = unclaimed.find((slot) => counts.get(keyOf(slot.address)) === most);
  if (leaving) return leaving.id;
  throw new AppError('unavailable', 'Too many devices wait to be paired. Try again later.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

const keyOf = (address: string | null): string => (address === null ? '' : addressKey(address));
