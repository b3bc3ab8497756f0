import type { Vendor } from '../../../contract/vendors.ts';

const WINDOW_MS = 5 * 60_000;

/**
 * Why a signed delivery is refused: Linear signs a timestamp as part of the payload. Payloads from 2021 and 2022 have no
 * timestamp; their replays are recognized by their bytes, as with the other vendors.
 */
export function outsideWindow(provider: Vendor, payload: object, now: Date): string | undefined {
  if (provider !== 'linear' || !('webhookTimestamp' in payload)) return undefined;
  const { webhookTimestamp: at } = payload;
  if (at === null || at === undefined) return undefined;
  if (typeof at !== 'number' || !Number.isFinite(at)) return 'The webhookTimestamp is not a timestamp';
  const late = now.getTime() - at;
  if (Math.abs(late) <= WINDOW_MS) return undefined;
  return `The webhook was signed ${Math.ceil(Math.abs(late) / 60_000)} minutes ${late > 0 ? 'ago' : 'ahead of now'}; up to 5 are taken`;
}
