import { describe, expect, it } from 'vitest';
import type { CreatePairingRequest } from '../../../src/contract/pairing.ts';
import { fingerprintOf } from '../../../src/core/secrets/public-key.ts';
import { parseCode } from '../../../src/core/devices/pairing-code.ts';
import { ann, bob, deviceKey, openDevices, root } from './device-parts.ts';

const MINUTE = 60_000;
const phone: CreatePairingRequest = {
  requesterId: 'phone',
  meta: { name: 'My phone' },
  publicKey: deviceKey(9),
};
const fingerprint = fingerprintOf(Buffer.from(deviceKey(9), 'base64'));
const many = <T>(work: () => Promise<T>) => Promise.allSettled(Array.from({ length: 1000 }, work));
const values = <T>(results: PromiseSettledResult<T>[]): T[] =>
  results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
const reasons = (results: PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));

describe('a pairing request', () => {
  it('a request returns a secret for the device and a code for the person', async () => {
    await using test = await openDevices();
    const answer = await test.pairing.request(phone, { address: '10.0.0.1' });
    expect(answer).toEqual({
      requestId: expect.stringMatching(/^pair_[\w-]{32}$/),
      code: parseCode(answer.code),
      formatted: answer.code.replaceAll('-', ' '),
      expiresAt: '2026-01-01T00:10:00.000Z',
      daemonFingerprint: test.identity.fingerprint,
    });
    expect(await test.pairing.pending()).toEqual([
      {
        id: expect.stringMatching(/^preq_/),
        version: expect.stringMatching(/^[0-9a-f]{32}$/),
        requesterId: 'phone',
        meta: { name: 'My phone' },
        fingerprint,
        address: '10.0.0.1',
        claimed: true,
        limited: false,
        status: 'pending',
        createdAt: '2026-01-01T00:00:00.000Z',
        expiresAt: '2026-01-01T00:10:00.000Z',
      },
    ]);
    expect(await test.audited()).toEqual(['pairing.requested']);
  });

  it('a request stores neither the secret nor the code in the database', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.pairing.request(phone, {});
    const rows = [
      await test.database.read.selectFrom('pairing_requests').selectAll().execute(),
      await test.database.read.selectFrom('audit_log').selectAll().execute(),
    ];
    for (const secret of [requestId, requestId.slice(5), code, code.replaceAll('-', '')])
      expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it.each([
    ['nothing', ''],
    ['no base64', '*'],
    ['31 bytes', Buffer.alloc(31, 5).toString('base64')],
    ['no padding', deviceKey(9).replace('=', '')],
    ['other bits of padding', deviceKey(9).replace(/.=$/, 'B=')],
    ['a point of small order', Buffer.alloc(32).toString('base64')],
    ['a y that is not reduced', Buffer.from(`f0${'ff'.repeat(30)}7f`, 'hex').toString('base64')],
    ['a y beside the curve', Buffer.from(`02${'00'.repeat(31)}`, 'hex').toString('base64')],
  ])('refuses a request with a key of %s', async (_, publicKey) => {
    await using test = await openDevices();
    const wrong = { code: 'validation', details: [{ path: 'publicKey', message: expect.any(String) }] };
    await expect(test.pairing.request({ ...phone, publicKey }, {})).rejects.toMatchObject(wrong);
    const { code } = await test.pairing.qr(ann, 'http://localhost', {});
    await expect(test.pairing.claim({ ...phone, publicKey, code }, {})).rejects.toMatchObject(wrong);
  });

  it('limits pending requests to a thousand, without counting the QR codes of users', async () => {
    await using test = await openDevices();
    const results = await many(() => test.pairing.request(phone, {}));
    expect(new Set(values(results).map(({ code }) => code)).size).toBe(1000);
    await test.pairing.request(phone, {});
    expect(await test.pairing.pending()).toHaveLength(1000);
    await test.pairing.qr(ann, 'http://localhost', {});
    test.clock.ms += 10 * MINUTE;
    await test.pairing.request(phone, {});
    expect(await test.pairing.pending()).toHaveLength(1);
  });
});

describe('the status of a pairing request', () => {
  it('the status is not found with another secret', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    for (const made of ['', 'pair_', `${requestId}A`, requestId.slice(0, -1), code])
      await expect(test.pairing.status(made, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the status returns the session once, after the approval', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    const expiresAt = '2026-01-01T00:10:00.000Z';
    expect(await test.pairing.status(requestId, {})).toEqual({ status: 'pending', expiresAt });
    test.clock.ms += MINUTE;
    await test.decisions.approve(ann, { code }, {});
    const approvedAt = '2026-01-01T00:01:00.000Z';
    const first = await test.pairing.status(requestId, { address: '10.0.0.2', userAgent: 'Phone' });
    expect(first).toEqual({ status: 'approved', token: expect.any(String), approvedAt, expiresAt });
    expect(await test.pairing.status(requestId, {})).toEqual({ status: 'approved', approvedAt, expiresAt });
    expect(await test.sessions.resolve(first.token ?? '')).toMatchObject({
      userId: ann.userId,
      role: 'user',
      deviceId: expect.stringMatching(/^dev_/),
    });
    expect(await test.sessions.list(ann)).toMatchObject([
      { kind: 'device', address: '10.0.0.2', userAgent: 'Phone' },
    ]);
    expect(await test.audited()).toEqual(['pairing.requested', 'pairing.approved', 'pairing.delivered']);
  });

  it('a thousand concurrent polls get one session', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    await test.decisions.approve(ann, { code }, {});
    const answers = values(await many(() => test.pairing.status(requestId, {})));
    expect(answers).toHaveLength(1000);
    expect(answers.filter(({ token }) => token !== undefined)).toHaveLength(1);
    expect(await test.sessions.list(ann)).toHaveLength(1);
  });

  it('the status returns no session once the device is revoked', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    await test.decisions.approve(ann, { code }, {});
    const [device] = await test.devices.list(ann);
    await test.devices.revoke(ann, device?.id ?? '', {});
    expect(await test.pairing.status(requestId, {})).toEqual({
      status: 'rejected',
      reason: 'The device was revoked',
      expiresAt: '2026-01-01T00:10:00.000Z',
    });
    expect(await test.sessions.list(ann)).toEqual([]);
  });

  it('the status returns no session while the approver is disabled', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    await test.decisions.approve(ann, { code }, {});
    const close = (disabled_at: string | null) =>
      test.database.write(({ db }) =>
        db.updateTable('users').set({ disabled_at }).where('id', '=', ann.userId).execute(),
      );
    await close('2026-01-01T00:00:00.000Z');
    expect(await test.pairing.status(requestId, {})).not.toHaveProperty('token');
    await close(null);
    expect(await test.pairing.status(requestId, {})).toHaveProperty('token');
  });

  it('the status gives the reason of a rejection', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    await test.decisions.reject(ann, { code, reason: 'Not mine' }, {});
    expect(await test.pairing.status(requestId, {})).toMatchObject({
      status: 'rejected',
      reason: 'Not mine',
    });
    expect(await test.audited()).toEqual(['pairing.requested', 'pairing.rejected']);
  });
});

describe('the lifetime of a pairing request', () => {
  it('a request expires after ten minutes, to the millisecond', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    test.clock.ms += 10 * MINUTE - 1;
    expect(await test.decisions.inspect(ann, code, {})).toMatchObject({ status: 'pending' });
    expect(await test.pairing.pending()).toHaveLength(1);
    expect(await test.pairing.cleanup()).toBe(0);
    test.clock.ms += 1;
    expect(await test.pairing.status(requestId, {})).toMatchObject({ status: 'expired' });
    expect(await test.pairing.pending()).toEqual([]);
    await expect(test.decisions.approve(ann, { code }, {})).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.decisions.inspect(ann, code, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await test.pairing.cleanup()).toBe(1);
    await expect(test.pairing.status(requestId, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('an expired request stays readable for ten more minutes', async () => {
    await using test = await openDevices();
    const { requestId } = await test.ask();
    test.clock.ms += 20 * MINUTE - 1;
    expect(await test.pairing.deleteOld()).toBe(0);
    expect(await test.pairing.status(requestId, {})).toMatchObject({ status: 'expired' });
    test.clock.ms += 1;
    await expect(test.pairing.status(requestId, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await test.pairing.deleteOld()).toBe(1);
  });

  it('a request that is approved late stays valid for two more minutes', async () => {
    await using test = await openDevices();
    const [early, late] = [await test.ask(), await test.ask()];
    test.clock.ms += 10 * MINUTE - 1;
    for (const { code } of [early, late]) await test.decisions.approve(ann, { code }, {});
    test.clock.ms += 2 * MINUTE - 1;
    expect(await test.pairing.status(early.requestId, {})).toMatchObject({ token: expect.any(String) });
    test.clock.ms += 1;
    expect(await test.pairing.status(early.requestId, {})).toMatchObject({ status: 'approved' });
    const missed = await test.pairing.status(late.requestId, {});
    expect(missed).toMatchObject({ status: 'expired' });
    expect(missed).not.toHaveProperty('token');
    expect(await test.pairing.cleanup()).toBe(2);
    expect(await test.sessions.list(ann)).toHaveLength(1);
  });
});

describe('a QR code', () => {
  it('a QR code holds the code and the address of the daemon', async () => {
    await using test = await openDevices();
    const { qrSvg, ...answer } = await test.pairing.qr(ann, 'https://svc.example.org:8443/a b', {});
    expect(answer).toEqual({
      requestId: expect.stringMatching(/^pair_/),
      code: parseCode(answer.code),
      pairingUrl: `svc://pair?code=${answer.code}&host=https%3A%2F%2Fsvc.example.org%3A8443%2Fa%20b`,
      expiresAt: '2026-01-01T00:10:00.000Z',
      daemonFingerprint: test.identity.fingerprint,
    });
    expect(new URL(answer.pairingUrl).searchParams.get('host')).toBe('https://svc.example.org:8443/a b');
    expect(qrSvg).toMatch(/^<svg .*<\/svg>$/s);
  });

  it('an unclaimed QR code pairs the device that shows it', async () => {
    await using test = await openDevices();
    const { requestId, code } = await test.pairing.qr(ann, 'http://localhost', {});
    await test.decisions.approve(ann, { code }, {});
    expect(await test.pairing.status(requestId, {})).toMatchObject({ token: expect.any(String) });
  });

  it('a claimed QR code pairs only the device that claimed it', async () => {
    await using test = await openDevices();
    const shown = await test.pairing.qr(ann, 'http://localhost', {});
    const claimed = await test.pairing.claim(
      { ...phone, code: shown.code.toLowerCase() },
      { address: '10.0.0.3' },
    );
    expect(claimed).toEqual({
      requestId: expect.stringMatching(/^pair_/),
      expiresAt: shown.expiresAt,
      daemonFingerprint: test.identity.fingerprint,
    });
    expect(claimed.requestId).not.toBe(shown.requestId);
    const claimedBy = { requesterId: 'phone', fingerprint };
    expect(await test.pairing.status(shown.requestId, {})).toMatchObject({ status: 'pending', claimedBy });
    expect(await test.pairing.status(claimed.requestId, {})).not.toHaveProperty('claimedBy');
    expect(await test.decisions.inspect(ann, shown.code, {})).toMatchObject({
      requesterId: 'phone',
      meta: { name: 'My phone' },
      fingerprint,
      address: '10.0.0.3',
    });
    await test.decisions.approve(ann, { code: shown.code }, {});
    const displayed = await test.pairing.status(shown.requestId, {});
    expect(displayed).toMatchObject({ status: 'approved', claimedBy });
    expect(displayed).not.toHaveProperty('token');
    expect(await test.pairing.status(claimed.requestId, {})).toMatchObject({ token: expect.any(String) });
    expect(await test.devices.list(ann)).toMatchObject([{ name: 'My phone', fingerprint }]);
  });

  it('only one of a thousand devices claims a QR code', async () => {
    await using test = await openDevices();
    const { code } = await test.pairing.qr(ann, 'http://localhost', {});
    const results = await many(() => test.pairing.claim({ ...phone, code }, {}));
    expect(values(results)).toHaveLength(1);
    for (const reason of reasons(results)) expect(reason).toMatchObject({ code: 'wrong_state' });
  });

  it('refuses to claim a code that is not a QR code, decided or expired', async () => {
    await using test = await openDevices();
    const claim = (code: string) => test.pairing.claim({ ...phone, code }, {});
    for (const code of ['', 'x', '2222-2222-2222', (await test.ask()).code])
      await expect(claim(code)).rejects.toMatchObject({ code: 'not_found' });
    const [approved, rejected, expired] = [
      await test.pairing.qr(ann, 'http://localhost', {}),
      await test.pairing.qr(ann, 'http://localhost', {}),
      await test.pairing.qr(ann, 'http://localhost', {}),
    ];
    await test.decisions.approve(ann, { code: approved.code }, {});
    await test.decisions.reject(ann, { code: rejected.code }, {});
    for (const { code } of [approved, rejected])
      await expect(claim(code)).rejects.toMatchObject({ code: 'wrong_state' });
    test.clock.ms += 10 * MINUTE;
    await expect(claim(expired.code)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('only the user who created a QR code, or an administrator, decides on it', async () => {
    await using test = await openDevices();
    const { code } = await test.pairing.qr(ann, 'http://localhost', {});
    await expect(test.decisions.approve(bob, { code }, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await test.decisions.inspect(root, code, {})).toMatchObject({ status: 'pending' });
    await test.decisions.approve(ann, { code }, {});
  });
});
