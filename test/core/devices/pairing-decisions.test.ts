import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { fingerprintOf } from '../../../src/core/secrets/public-key.ts';
import { ann, bob, deviceKey, openDevices, root } from './device-parts.ts';

const many = <T>(work: () => Promise<T>) => Promise.allSettled(Array.from({ length: 1000 }, work));
const outcomes = (results: PromiseSettledResult<unknown>[]) => {
  const counts: Record<string, number> = {};
  for (const result of results) {
    const name =
      result.status === 'fulfilled'
        ? 'done'
        : String((result.reason as { code?: unknown }).code ?? result.reason);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
const wrong = '2222-2222-2222';

describe('an approval', () => {
  it('an approval adds the device to those of the approver', async () => {
    await using test = await openDevices();
    const { code } = await test.ask({ meta: { name: 'Tablet' }, publicKey: deviceKey(9) });
    const fingerprint = fingerprintOf(Buffer.from(deviceKey(9), 'base64'));
    const at = '2026-01-01T00:00:00.000Z';
    expect(await test.decisions.approve(ann, { code: code.replaceAll('-', ' ') }, {})).toMatchObject({
      requesterId: 'phone',
      status: 'approved',
      decidedAt: at,
      approvedBy: ann.userId,
      role: 'user',
    });
    expect(await test.devices.list(ann)).toEqual([
      {
        id: expect.stringMatching(/^dev_/),
        name: 'Tablet',
        userId: ann.userId,
        role: 'user',
        limited: false,
        fingerprint,
        createdAt: at,
        current: false,
      },
    ]);
  });

  it('a thousand concurrent approvals create one device', async () => {
    await using test = await openDevices();
    const { code } = await test.ask();
    const results = await many(() => test.decisions.approve(ann, { code }, { address: '10.0.0.1' }));
    expect(outcomes(results)).toEqual({ done: 1, wrong_state: 999 });
    expect(await test.devices.list(ann)).toHaveLength(1);
  });

  it.each(['approved', 'rejected'] as const)(
    'refuses to decide on a request that is already %s',
    async (state) => {
      await using test = await openDevices();
      const { code } = await test.ask();
      if (state === 'approved') await test.decisions.approve(ann, { code }, {});
      else await test.decisions.reject(ann, { code }, {});
      const refused = { code: 'wrong_state', message: `This request is already ${state}` };
      await expect(test.decisions.approve(ann, { code }, {})).rejects.toMatchObject(refused);
      await expect(test.decisions.reject(ann, { code }, {})).rejects.toMatchObject(refused);
      expect(await test.decisions.inspect(ann, code, {})).toMatchObject({ status: state });
    },
  );

  it.each<[string, Record<string, unknown>, string | undefined, string]>([
    ['what the approver says', { name: 'Phone' }, 'Mine', 'Mine'],
    ['what the device calls itself', { name: ' My\u0000 \u001b[31mphone\n ' }, undefined, 'My [31mphone'],
    ['at most a hundred letters', { name: 'x'.repeat(300) }, undefined, 'x'.repeat(100)],
    ['whole letters', { name: `${'x'.repeat(99)}😀` }, undefined, 'x'.repeat(99)],
    ['no empty text', { name: ' \n' }, undefined, 'phone'],
    ['no number', { name: 7 }, undefined, 'phone'],
    ['the requester without a name', {}, undefined, 'phone'],
  ])('names an approved device %s', async (_, meta, name, expected) => {
    await using test = await openDevices();
    const { code } = await test.pairing.request({ requesterId: 'phone', meta: meta as { name: string } }, {});
    await test.decisions.approve(ann, { code, name }, {});
    expect((await test.devices.list(ann))[0]?.name).toBe(expected);
  });

  it.each<[Caller, 'user' | 'admin' | undefined, 'user' | 'admin' | 'forbidden']>([
    [ann, undefined, 'user'],
    [ann, 'user', 'user'],
    [ann, 'admin', 'forbidden'],
    [root, undefined, 'admin'],
    [root, 'user', 'user'],
    [root, 'admin', 'admin'],
    [{ ...root, role: 'user' }, 'admin', 'forbidden'],
    [{ ...root, role: 'user' }, undefined, 'user'],
  ])('an approval by %o with the role %s gives %s', async (caller, role, expected) => {
    await using test = await openDevices();
    const { requestId, code } = await test.ask();
    const approval = test.decisions.approve(caller, { code, role }, {});
    if (expected === 'forbidden') {
      await expect(approval).rejects.toMatchObject({ code: 'forbidden' });
      expect(await test.pairing.status(requestId, {})).toMatchObject({ status: 'pending' });
      return;
    }
    expect(await approval).toMatchObject({ role: expected });
    const { token = '' } = await test.pairing.status(requestId, {});
    expect(await test.sessions.resolve(token)).toMatchObject({ userId: caller.userId, role: expected });
  });

  it('refuses an approval by an API token', async () => {
    await using test = await openDevices();
    const { code } = await test.ask();
    const token: Caller = { ...root, token: { id: 'tok_1', scopes: [] } };
    const refused = { code: 'forbidden' };
    await expect(test.decisions.approve(token, { code }, {})).rejects.toMatchObject(refused);
    await expect(test.decisions.reject(token, { code }, {})).rejects.toMatchObject(refused);
    await expect(test.decisions.inspect(token, code, {})).rejects.toMatchObject(refused);
  });

  it('a device may approve another device but not itself', async () => {
    await using test = await openDevices();
    const { caller } = await test.pair(ann, { publicKey: deviceKey(9) });
    const again = await test.ask({ publicKey: deviceKey(9) });
    await expect(test.decisions.approve(caller, { code: again.code }, {})).rejects.toMatchObject({
      code: 'forbidden',
      message: 'A device cannot approve itself',
    });
    const other = await test.ask({ publicKey: deviceKey(8) });
    await test.decisions.approve(caller, { code: other.code }, {});
    await test.decisions.approve(ann, { code: again.code }, {});
  });
});

describe('wrong pairing codes', () => {
  it('limits wrong codes to five in ten minutes, after which a right one is refused too', async () => {
    await using test = await openDevices();
    const { code } = await test.ask();
    const notFound = { code: 'not_found', message: 'No pending request has this code' };
    await expect(test.decisions.approve(ann, { code: wrong }, {})).rejects.toMatchObject(notFound);
    await expect(test.decisions.approve(ann, { code: 'x' }, {})).rejects.toMatchObject(notFound);
    await expect(test.decisions.reject(ann, { code: wrong }, {})).rejects.toMatchObject(notFound);
    await expect(test.decisions.inspect(ann, wrong, {})).rejects.toMatchObject(notFound);
    // A right one between them is no failure.
    await test.decisions.inspect(ann, code, {});
    await expect(test.decisions.inspect(ann, '', {})).rejects.toMatchObject(notFound);
    const refused = { code: 'rate_limited', retryAfterMs: expect.any(Number) };
    await expect(test.decisions.inspect(ann, code, {})).rejects.toMatchObject(refused);
    await expect(test.decisions.approve(ann, { code }, {})).rejects.toMatchObject(refused);
    await expect(test.decisions.reject(ann, { code }, {})).rejects.toMatchObject(refused);
    await test.decisions.approve(bob, { code }, {});
    expect((await test.audited()).filter((tool) => tool === 'pairing.code')).toHaveLength(5);
  });

  it('limits wrong codes to five when a thousand come at once', async () => {
    await using test = await openDevices();
    const results = await many(() => test.decisions.approve(ann, { code: wrong }, {}));
    expect(outcomes(results)).toEqual({ not_found: 5, rate_limited: 995 });
  });

  it('counts wrong codes per address too', async () => {
    await using test = await openDevices();
    const { code } = await test.ask();
    let count = 0;
    const results = await many(() => {
      const caller: Caller = { userId: `user_${count++}`, role: 'user' };
      return test.decisions.inspect(caller, wrong, { address: `::ffff:10.0.0.1` });
    });
    expect(outcomes(results)).toEqual({ not_found: 5, rate_limited: 995 });
    await expect(test.decisions.approve(ann, { code }, { address: '10.0.0.1' })).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await test.decisions.approve(ann, { code }, { address: '10.0.0.2' });
  });
});

describe('an approval with a version', () => {
  it('refuses an approval when another device has claimed the code since', async () => {
    await using test = await openDevices();
    const { code } = await test.pairing.qr(ann, 'http://svc', {});
    const seen = await test.decisions.inspect(ann, code, {});
    // Without a key and under the same name, as nobody had one before.
    await test.pairing.claim({ requesterId: 'qr', meta: {}, code }, {});
    const approval = test.decisions.approve(ann, { code, version: seen.version }, {});
    await expect(approval).rejects.toMatchObject({ code: 'wrong_state' });
    const { version } = await test.decisions.inspect(ann, code, {});
    expect(await test.decisions.approve(ann, { code, version }, {})).toMatchObject({ status: 'approved' });
  });
});
