import type { ProviderName } from '../../../contract/oauth.ts';

const WINDOW_MS = 5 * 60_000;

/**
 * Why a delivery is not taken although it is signed: Linear says within what it signs when it did. Its payloads of 2021
 * and 2022 did not say so yet; they are known again by their bytes, as those of the other vendors are.
 */
export function outsideWindow(provider: ProviderName, payload: object, now: Date): string | undefined {
  if (provider !== 'tracker_b' || !('webhookTimestamp' in payload)) return undefined;
  const { webhookTimestamp: at } = payload;
  if (at === null || at === undefined) return undefined;
  if (typeof at !== 'number' || !Number.isFinite(at)) return 'The webhookTimestamp is no time';
  const late = now.getTime() - at;
  if (Math.abs(late) <= WINDOW_MS) return undefined;
  return `The webhook was signed ${Math.ceil(Math.abs(late) / 60_000)} minutes ${late > 0 ? 'ago' : 'ahead of now'}; up to 5 are taken`;
}
