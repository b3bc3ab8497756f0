import type { KeyRing } from './key-ring.ts';

/** The secret that signs deliveries to the notifyUrl of requests with this token; derived, never stored. */
export const notifySecretOf = (keys: KeyRing, tokenId: string): string =>
  `whsec_${Buffer.from(keys.hmac('notify', `notify:${tokenId}`), 'hex').toString('base64')}`;
