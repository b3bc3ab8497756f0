import { hash } from 'node:crypto';
import type { DeviceIdentity } from '../../contract/devices.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { publicKeyOf } from '../secrets/ed25519.ts';
import { fingerprintOf } from '../secrets/public-key.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** The identity of this daemon for other devices. */
export function deviceIdentity(keyRing: KeyRing): DeviceIdentity {
  const publicKey = publicKeyOf(keyRing.key('attest'));
  return {
    deviceId: deviceIdOf(publicKey),
    publicKey: publicKey.toString('base64'),
    fingerprint: fingerprintOf(publicKey),
  };
}

/** SHA-256 of the key in lower-case base32 (RFC 4648) without padding, in groups of four. */
export function deviceIdOf(publicKey: Uint8Array): string {
  const bits = Array.from(hash('sha256', publicKey, 'buffer'), (byte) => byte.toString(2).padStart(8, '0'));
  const letters = bits.join('').match(/.{1,5}/g) ?? [];
  const text = letters.map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
}
