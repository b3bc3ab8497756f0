import { describe, expect, it } from 'vitest';
import { deviceIdentity, deviceIdOf } from '../../../src/core/devices/device-identity.ts';
import { fingerprintOf } from '../../../src/core/secrets/public-key.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';

describe('the identity of a daemon', () => {
  it('the identity is derived from the master seed and stable', () => {
    const identity = deviceIdentity(new KeyRing(Buffer.alloc(32, 1)));
    expect(identity).toEqual(deviceIdentity(new KeyRing(Buffer.alloc(32, 1))));
    expect(identity.deviceId).toMatch(/^([a-z2-7]{4}-){12}[a-z2-7]{4}$/);
    expect(identity.fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(Buffer.from(identity.publicKey, 'base64')).toHaveLength(32);
    const other = deviceIdentity(new KeyRing(Buffer.alloc(32, 2)));
    expect(new Set([...Object.values(identity), ...Object.values(other)]).size).toBe(6);
  });

  // As `base32` and `sha256sum` of coreutils print them.
  it('the identity has this format', () => {
    const key = Buffer.alloc(32, 7);
    expect(deviceIdOf(key)).toBe('joyg-7dso-hj3r-luqb-2vz5-bksc-g5ro-kxnl-2ync-yarh-r6sw-zrws-stqa');
    expect(fingerprintOf(key)).toBe(
      'sha256:4bb06f8e4e3a7715d201d573d0aa423762e55dabd61a2c02278fa56cc6d294e0',
    );
  });
});
