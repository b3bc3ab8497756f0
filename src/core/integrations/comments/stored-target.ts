import { vendorOf, wireName } from '../../../contract/vendors.ts';
import type { CommentTarget } from '../inbound/source-work.ts';

/** The target as its row holds it: with the neutral name of the product. */
export const storeTarget = (target: CommentTarget): string =>
  JSON.stringify({ ...target, provider: wireName(target.provider) });

/** The target that a row holds. */
export function readTarget(stored: string): CommentTarget {
  const target = JSON.parse(stored) as { provider: string };
  return { ...target, provider: vendorOf(target.provider) } as CommentTarget;
}
