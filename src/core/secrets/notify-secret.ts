import type { KeyRing } from './key-ring.ts';

/** The secret that signs what is told to the notifyUrl of requests made with the token; it is never stored. */
export const notifySecretOf = (keys: KeyRing, tokenId: string): string =>
  `whsec_${Buffer.from(keys.hmac('notify', `notify:${tokenId}`), 'hex').toString('base64')}`;
