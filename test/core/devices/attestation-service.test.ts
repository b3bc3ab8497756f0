import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attestation } from '../../../src/contract/devices.ts';
import { deviceIdOf } from '../../../src/core/devices/device-identity.ts';
import { publicKeyOf, sign, verifyStrictly } from '../../../src/core/secrets/ed25519.ts';
import { ann, deviceKey, openDevices, root } from './device-parts.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const maxAgeMs = MINUTE;
const data = { z: 1, a: ['ä', { deep: null }], text: 'Grüße "quoted"', flag: true };

/** What a device with a key of its own signs, by the text of the definition alone. */
function signedElsewhere(n: number, at: number, nonce = 'A'.repeat(22)): Attestation {
  const seed = Buffer.alloc(32, n);
  const publicKey = publicKeyOf(seed).toString('base64');
  const deviceId = deviceIdOf(publicKeyOf(seed));
  const timestamp = new Date(at).toISOString();
  const text = `{"data":{"a":1,"b":2},"deviceId":"${deviceId}","nonce":"${nonce}","publicKey":"${publicKey}","timestamp":"${timestamp}"}`;
  const signature = sign(seed, Buffer.from(`service/attest/v1\0${text}`)).toString('base64');
  return { deviceId, publicKey, attestation: { timestamp, nonce, data: { b: 2, a: 1 }, signature } };
}

describe('an attestation', () => {
  it('an attestation signs the canonical JSON of everything but the signature', async () => {
    await using test = await openDevices();
    const { deviceId, publicKey, attestation } = await test.attestations().attest(ann, { b: 1, a: 'ä' });
    expect({ deviceId, publicKey }).toMatchObject({
      deviceId: test.identity.deviceId,
      publicKey: test.identity.publicKey,
    });
    expect(attestation).toEqual({
      timestamp: '2026-01-01T00:00:00.000Z',
      nonce: expect.stringMatching(/^[\w-]{22}$/),
      data: { b: 1, a: 'ä' },
      signature: expect.any(String),
    });
    const text = `{"data":{"a":"ä","b":1},"deviceId":"${deviceId}","nonce":"${attestation.nonce}","publicKey":"${publicKey}","timestamp":"2026-01-01T00:00:00.000Z"}`;
    expect(
      verifyStrictly(
        Buffer.from(publicKey, 'base64'),
        Buffer.from(`service/attest/v1\0${text}`),
        Buffer.from(attestation.signature, 'base64'),
      ),
    ).toBe(true);
  });

  it('an attestation of this daemon is trusted, and the audit log names the requester', async () => {
    await using test = await openDevices();
    const attestation = await test.attestations().attest(ann, data);
    expect(await test.attestations().verify({ attestation, maxAgeMs })).toEqual({
      valid: true,
      trusted: true,
      deviceId: test.identity.deviceId,
    });
    const [entry] = await test.database.read.selectFrom('audit_log').selectAll().execute();
    expect(entry).toMatchObject({ tool: 'device.attested', user_id: ann.userId });
    expect(entry?.arguments).toContain(attestation.attestation.nonce);
  });

  it('refuses to attest data without a canonical form', async () => {
    await using test = await openDevices();
    await expect(test.attestations().attest(ann, { a: '\ud800' })).rejects.toMatchObject({
      code: 'validation',
    });
  });

  it('an attestation of a device is trusted while the device is paired and its user enabled', async () => {
    await using test = await openDevices();
    const verify = (nonce: string) =>
      test.attestations().verify({
        attestation: signedElsewhere(9, test.clock.ms, nonce.padEnd(22, 'A')),
        maxAgeMs,
      });
    expect(await verify('a')).toMatchObject({ valid: true, trusted: false });
    const { id } = await test.pair(ann, { publicKey: deviceKey(9) });
    expect(await verify('b')).toMatchObject({ valid: true, trusted: true });
    const disable = (disabled_at: string | null) =>
      test.database.write(({ db }) =>
        db.updateTable('users').set({ disabled_at }).where('id', '=', ann.userId).execute(),
      );
    await disable('2026-01-01T00:00:00.000Z');
    expect(await verify('c')).toMatchObject({ valid: true, trusted: false });
    await disable(null);
    await test.devices.revoke(root, id, {});
    expect(await verify('d')).toMatchObject({ valid: true, trusted: false });
  });

  it('refuses an attestation with a single changed bit', async () => {
    await using test = await openDevices();
    const attestations = test.attestations();
    const original = await attestations.attest(ann, data);
    const text = Buffer.from(JSON.stringify(original));
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let tried = 0;
    for (let bit = 0; bit < text.length * 8; bit++) {
      const flipped = Buffer.from(text);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      let attestation: unknown;
      try {
        attestation = JSON.parse(decoder.decode(flipped));
      } catch {
        continue; // No JSON: no request.
      }
      tried++;
      const outcome = await attestations.verify({ attestation, maxAgeMs });
      expect(outcome, flipped.toString()).toMatchObject({ valid: false, trusted: false });
      expect(outcome.reason).toMatch(/\w/);
    }
    expect(tried).toBeGreaterThan(1500);
    expect(await attestations.verify({ attestation: original, maxAgeMs })).toMatchObject({ valid: true });
  });
});

describe('the age of an attestation', () => {
  it.each([
    [0, maxAgeMs, undefined],
    [1, 1, undefined],
    [2, 1, 'too old'],
    [MINUTE, MINUTE, undefined],
    [MINUTE + 1, MINUTE, 'too old'],
    [HOUR, HOUR, undefined],
    [HOUR + 1, HOUR, 'too old'],
    [-1, 1, undefined],
    [-MINUTE, MINUTE, undefined],
    [-MINUTE, 1, undefined],
    [-MINUTE - 1, MINUTE, 'future'],
    [-MINUTE - 1, HOUR, 'future'],
    [-HOUR, HOUR, 'future'],
  ])('checks an age of %i ms where %i ms are allowed', async (age, allowed, reason) => {
    await using test = await openDevices();
    const attestation = signedElsewhere(3, test.clock.ms - age);
    const outcome = await test.attestations().verify({ attestation, maxAgeMs: allowed });
    expect(outcome.valid).toBe(reason === undefined);
    expect(outcome.deviceId).toBe(attestation.deviceId);
    if (reason !== undefined) expect(outcome.reason).toContain(reason);
  });
});

describe('a reused attestation', () => {
  const refused = { valid: false, trusted: false, reason: 'The attestation was used before' };

  it('refuses a reused attestation, after a restart and in concurrent requests too', async () => {
    await using test = await openDevices();
    const attestation = await test.attestations().attest(ann, data);
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, () => test.attestations().verify({ attestation, maxAgeMs })),
    );
    expect(outcomes.filter(({ valid }) => valid)).toHaveLength(1);
    expect(outcomes.filter(({ valid }) => !valid)).toEqual(
      Array.from({ length: 999 }, () => ({ ...refused, deviceId: test.identity.deviceId })),
    );
    expect(await test.attestations().verify({ attestation, maxAgeMs })).toMatchObject(refused);
  });

  it('remembers a nonce for as long as its age would pass', async () => {
    await using test = await openDevices();
    const rows = () => test.database.read.selectFrom('used_nonces').selectAll().execute();
    const attestation = signedElsewhere(3, test.clock.ms + MINUTE);
    const verify = () => test.attestations().verify({ attestation, maxAgeMs: HOUR });
    expect(await verify()).toMatchObject({ valid: true });
    test.clock.ms += HOUR + MINUTE;
    expect(await verify()).toMatchObject(refused);
    expect(await rows()).toHaveLength(1);
    test.clock.ms += 1;
    expect(await verify()).toMatchObject({ reason: 'The attestation is too old' });
    test.clock.ms += HOUR;
    await test.attestations().verify({ attestation: signedElsewhere(3, test.clock.ms), maxAgeMs });
    expect(await rows()).toHaveLength(1);
  });

  it('a forged attestation does not use up the nonce of a genuine one', async () => {
    await using test = await openDevices();
    const original = await test.attestations().attest(ann, data);
    const forged = structuredClone(original);
    forged.attestation.data = { other: true };
    expect(await test.attestations().verify({ attestation: forged, maxAgeMs })).toMatchObject({
      valid: false,
      reason: 'The signature is wrong',
    });
    const { nonce } = original.attestation;
    const others = signedElsewhere(4, test.clock.ms, nonce);
    expect(await test.attestations().verify({ attestation: others, maxAgeMs })).toMatchObject({
      valid: true,
    });
    expect(await test.attestations().verify({ attestation: original, maxAgeMs })).toMatchObject({
      valid: true,
    });
  });
});

describe('an invalid attestation', () => {
  const good = signedElsewhere(5, 0);
  const inner = good.attestation;
  const withInner = (change: Record<string, unknown>) => ({ ...good, attestation: { ...inner, ...change } });
  const other = signedElsewhere(6, 0);

  it.each([
    ['nothing', {}],
    ['null', null],
    ['a list', [good]],
    ['a text', 'x'],
    ['an extra key outside', { ...good, more: 1 }],
    ['an extra key inside', withInner({ more: 1 })],
    ['no signature', withInner({ signature: undefined })],
    ['a number as a nonce', withInner({ nonce: 1 })],
    ['an empty nonce', withInner({ nonce: '' })],
    ['a short nonce', withInner({ nonce: 'A'.repeat(21) })],
    ['a long nonce', withInner({ nonce: 'A'.repeat(89) })],
    ['data that is a list', withInner({ data: [] })],
    ['data with half of a surrogate pair', withInner({ data: { a: '\udfff' } })],
    ['a time without milliseconds', withInner({ timestamp: '1970-01-01T00:00:00Z' })],
    ['a time with microseconds', withInner({ timestamp: '1970-01-01T00:00:00.000000Z' })],
    ['a time with an offset', withInner({ timestamp: '1970-01-01T00:00:00.000+00:00' })],
    ['a time in small letters', withInner({ timestamp: '1970-01-01t00:00:00.000z' })],
    ['a day that is not', withInner({ timestamp: '1970-02-30T00:00:00.000Z' })],
    ['a signature without padding', withInner({ signature: inner.signature.replace(/=+$/, '') })],
    ['a signature in base64url', withInner({ signature: `${inner.signature.slice(0, -4)}_-==` })],
    ['a signature with a space', withInner({ signature: `${inner.signature} ` })],
    [
      'a signature with other bits of padding',
      withInner({ signature: inner.signature.replace(/.==$/, 'B==') }),
    ],
    ['a signature that is too short', withInner({ signature: 'AAAA' })],
    ['a key with other bits of padding', { ...good, publicKey: good.publicKey.replace(/.=$/, 'B=') }],
    ['an empty key', { ...good, publicKey: '' }],
    ['the id of another device', { ...good, deviceId: other.deviceId }],
    ['the id in capitals', { ...good, deviceId: good.deviceId.toUpperCase() }],
    ['the id without dashes', { ...good, deviceId: good.deviceId.replaceAll('-', '') }],
    ['the key of another device', { ...good, publicKey: other.publicKey }],
  ])('refuses an invalid attestation: %s', async (_, attestation) => {
    await using test = await openDevices();
    test.clock.ms = 0;
    expect(await test.attestations().verify({ attestation, maxAgeMs })).toEqual({
      valid: false,
      trusted: false,
      deviceId: null,
      reason: expect.stringMatching(/malformed|does not belong/),
    });
    expect(await test.attestations().verify({ attestation: good, maxAgeMs })).toMatchObject({ valid: true });
  });

  it('refuses random input as an attestation', async () => {
    await using test = await openDevices();
    const attestations = test.attestations();
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (attestation) => {
        expect((await attestations.verify({ attestation, maxAgeMs })).valid).toBe(false);
      }),
    );
  });
});

describe('the order of keys', () => {
  const jsonObject = fc.dictionary(
    fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
    fc
      .jsonValue({ stringUnit: 'binary', maxDepth: 3 })
      .filter((value) => !JSON.stringify(value).includes('__proto__')),
  );
  /** The same value with the keys of all objects the other way round. */
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, item]) => [key, turned(item)]);
    return Object.fromEntries(entries.reverse());
  };

  it('key order does not matter at any depth, nor does a round trip through JSON', async () => {
    await using test = await openDevices();
    const attestations = test.attestations();
    await fc.assert(
      fc.asyncProperty(jsonObject, async (free) => {
        const signed = await attestations.attest(ann, free as Attestation['attestation']['data']);
        const attestation = turned(JSON.parse(JSON.stringify(signed)));
        expect(await attestations.verify({ attestation, maxAgeMs })).toMatchObject({ valid: true });
      }),
    );
  });

  it('the order of a list matters', async () => {
    await using test = await openDevices();
    const attestation = await test.attestations().attest(ann, { list: [1, 2] });
    attestation.attestation.data = { list: [2, 1] };
    expect(await test.attestations().verify({ attestation, maxAgeMs })).toMatchObject({ valid: false });
  });
});
