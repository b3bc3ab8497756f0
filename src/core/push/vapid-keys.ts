import { createECDH, createHmac } from 'node:crypto';
import type { KeyRing } from '../secrets/key-ring.ts';

export interface VapidKeys {
  /** base64url, as browsers want it. */
  publicKey: string;
  privateKey: string;
}

/** The P-256 key by which push services know this daemon, derived from its seed: a restored identity keeps its subscribers. */
export function vapidKeys(keys: KeyRing): VapidKeys {
  for (let attempt = 0; ; attempt++) {
    const secret = createHmac('sha256', keys.key('push')).update(`vapid:${attempt}`).digest();
    const pair = createECDH('prime256v1');
    try {
      pair.setPrivateKey(secret);
    } catch {
      // One in four billion numbers is larger than the order of the curve.
      continue;
    }
    return { publicKey: pair.getPublicKey('base64url'), privateKey: secret.toString('base64url') };
  }
}
