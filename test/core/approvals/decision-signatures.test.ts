import { describe, expect, it } from 'vitest';
import type { SignedDecision } from '../../../src/contract/signed-decision.ts';
import { newSigner, signatureOn } from '../../helpers/signers.ts';
import { openSigning, type SigningWorld } from './signing-world.ts';

const refused = (message: RegExp) => ({
  code: 'forbidden',
  message: expect.stringMatching(message) as string,
});
const statusOf = async (world: SigningWorld, id: string) => (await world.approvalStore.find(id))?.status;

describe('a decision that needs a signature', () => {
  it.each(['ed25519', 'p256'] as const)(
    'counts with one of %s, and says who decided where',
    async (algorithm) => {
      await using world = await openSigning();
      const ann = await world.sign('ann', 'sess_ann', newSigner(algorithm), 'dev_1');
      const { id, needsSignature } = await world.ask();
      expect(needsSignature).toBe(true);
      const { approval } = await world.decide(ann, id);
      expect(approval).toMatchObject({
        status: 'approved',
        decidedBy: 'user_ann',
        decider: {
          userId: 'user_ann',
          userName: 'ann',
          via: 'device',
          sessionId: 'sess_ann',
          deviceId: 'dev_1',
          deviceName: 'Pixel 8',
          signed: true,
          keyId: ann.key.id,
        },
      });
      expect(approval).not.toHaveProperty('needsSignature');
      expect(await world.keys.list(ann.caller)).toMatchObject([{ lastUsedAt: '2026-03-01T12:00:00.000Z' }]);
      expect(await world.audits.verify()).toMatchObject({ valid: true, decisions: 1, signedDecisions: 1 });
    },
  );

  it('is refused without one and the call stays pending, which the audit log says', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const { id } = await world.ask();
    for (const decision of ['allow-once', 'allow-always'] as const)
      await expect(world.approvals.decide(ann.caller, id, decision)).rejects.toMatchObject(
        refused(/only be allowed with a signed decision/),
      );
    expect(await statusOf(world, id)).toBe('pending');
    expect((await world.entries()).slice(-2)).toMatchObject([
      { tool: 'approval.signature_refused', result: 'refused', user_id: 'user_ann' },
      { tool: 'approval.signature_refused', arguments: expect.stringContaining(id) as string },
    ]);
    expect(await world.audits.verify()).toMatchObject({ valid: true, decisions: 0 });
  });

  it.each<[string, Partial<SignedDecision>]>([
    ['another approval', { approvalId: 'appr_other' }],
    ['other content', { shown: 'ab'.repeat(32) }],
    ['another binding', { binding: 'cd'.repeat(32) }],
    ['a denial', { decision: 'deny' }],
    ['allowing always', { decision: 'allow-always', covers: 'kind' }],
    ['changed arguments', { arguments: 'changed' }],
    ['another user', { userId: 'user_bob' }],
    ['another session', { sessionId: 'sess_bob' }],
    ['another device', { deviceId: 'dev_bob' }],
    ['another key', { keyId: 'skey_other' }],
    ['another time', { signedAt: '2026-03-01T11:59:59.000Z' }],
    ['a reason that was not sent', { denialReason: 'no' }],
  ])('is refused with a signature for %s', async (_, different) => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const { id } = await world.ask();
    await expect(world.decide(ann, id, 'allow-once', different)).rejects.toMatchObject(
      refused(/not for this decision on this call/),
    );
    expect(await statusOf(world, id)).toBe('pending');
    await world.decide(ann, id);
    expect(await statusOf(world, id)).toBe('approved');
  });

  it('is refused for more than what was signed', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const approval = await world.ask();
    const at = world.clock.now.toISOString();
    const kind = signatureOn(ann.signer, ann.key, approval, { decision: 'allow-always', covers: 'kind' }, at);
    await expect(
      world.approvals.decide(ann.caller, approval.id, 'allow-always', { covers: 'tool', signature: kind }),
    ).rejects.toMatchObject(refused(/not for this decision/));
    const once = signatureOn(ann.signer, ann.key, approval, { decision: 'allow-once' }, at);
    await expect(
      world.approvals.decide(ann.caller, approval.id, 'allow-always', { signature: once }),
    ).rejects.toMatchObject(refused(/not for this decision/));
    expect(await statusOf(world, approval.id)).toBe('pending');
  });

  it.each([
    [5 * 60_000, true],
    [-5 * 60_000, true],
    [5 * 60_000 + 1, false],
    [-5 * 60_000 - 1, false],
  ])('with a clock that is %i ms off counts: %s', async (off, counts) => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const approval = await world.ask();
    const at = new Date(world.clock.now.getTime() + off).toISOString();
    const signature = signatureOn(ann.signer, ann.key, approval, { decision: 'allow-once' }, at);
    const decided = world.approvals.decide(ann.caller, approval.id, 'allow-once', { signature });
    if (counts) expect(await decided).toMatchObject({ approval: { status: 'approved' } });
    else await expect(decided).rejects.toMatchObject(refused(/Check the clock/));
  });

  it('cannot be sent again: a call is decided once', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const approval = await world.ask();
    const at = world.clock.now.toISOString();
    const signature = signatureOn(ann.signer, ann.key, approval, { decision: 'allow-once' }, at);
    const send = (id: string) => world.approvals.decide(ann.caller, id, 'allow-once', { signature });
    const sent = await Promise.allSettled(Array.from({ length: 10 }, () => send(approval.id)));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(send(approval.id)).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'The approval is already approved',
    });
    // The same call, asked for again, is another approval.
    const again = await world.ask();
    await expect(send(again.id)).rejects.toMatchObject(refused(/not for this decision/));
    expect(await world.audits.verify()).toMatchObject({ decisions: 1, signedDecisions: 1 });
  });

  it('is refused after the call has expired', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const { id } = await world.ask();
    world.clock.now = new Date('2026-03-01T14:00:00.000Z');
    await expect(world.decide(ann, id)).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'The approval has expired',
    });
  });

  it('counts only with the key of the session that decides', async () => {
    await using world = await openSigning();
    const laptop = await world.sign('ann', 'sess_laptop');
    const other = await world.sign('ann', 'sess_phone');
    const { id } = await world.ask();
    // A stolen cookie with a signature of another session.
    await expect(world.decide({ ...laptop, caller: other.caller }, id)).rejects.toMatchObject(
      refused(/not registered for this session/),
    );
    const bob = await world.sign('bob');
    const admin = { ...bob, caller: { ...bob.caller, role: 'admin' as const } };
    await expect(
      world.decide({ ...admin, key: laptop.key, signer: laptop.signer }, id),
    ).rejects.toMatchObject(refused(/not registered for this session/));
    // Somebody else's public key under the id of one's own is of no use either.
    await expect(world.decide({ ...laptop, signer: newSigner() }, id)).rejects.toMatchObject(
      refused(/not for this decision/),
    );
    expect(await statusOf(world, id)).toBe('pending');
    expect((await world.decide(admin, id)).approval.decider).toMatchObject({ userName: 'bob', signed: true });
  });

  it('is refused once the key is removed, or its session is gone', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const other = await world.sign('ann', 'sess_other');
    const { id } = await world.ask();
    await world.keys.remove(other.caller, ann.key.id);
    await expect(world.decide(ann, id)).rejects.toMatchObject(refused(/was removed/));
    await world.database.write(({ db }) =>
      db.deleteFrom('sessions').where('id', '=', 'sess_other').execute(),
    );
    expect(await world.database.read.selectFrom('signing_keys').select('id').execute()).toEqual([
      { id: ann.key.id },
    ]);
    await expect(world.decide(other, id)).rejects.toMatchObject(refused(/not registered for this session/));
    expect(await statusOf(world, id)).toBe('pending');
  });

  it('never comes from an API token or a program without a session', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const { id } = await world.ask();
    const token = {
      userId: 'user_ann',
      role: 'user',
      token: { id: 'tok', scopes: ['tasks:write'] },
    } as const;
    await expect(world.decide({ ...ann, caller: token }, id)).rejects.toMatchObject(
      refused(/API tokens cannot decide/),
    );
    const open = { userId: 'user_ann', role: 'admin' } as const;
    await expect(world.decide({ ...ann, caller: open }, id)).rejects.toMatchObject(refused(/this session/));
    await expect(world.approvals.decide(open, id, 'allow-once')).rejects.toMatchObject(refused(/signed/));
    expect(await statusOf(world, id)).toBe('pending');
  });
});

describe('a denial', () => {
  it('never needs a signature, and a wrong one does not hold it up', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const [first, second, third] = [await world.ask(), await world.ask(), await world.ask()];
    expect(await world.approvals.decide(ann.caller, first.id, 'deny')).toMatchObject({
      approval: { status: 'denied', decider: { signed: false, deviceName: 'Chrome on Android' } },
    });
    const wrong = await world.decide(ann, second.id, 'deny', { shown: 'x' }, { denialReason: 'no' });
    expect(wrong).toMatchObject({ approval: { status: 'denied', decider: { signed: false } } });
    expect(JSON.parse((await world.entries()).at(-1)?.arguments ?? '')).toMatchObject({
      signatureRefused: expect.stringContaining('not for this decision') as string,
    });
    const signed = await world.decide(ann, third.id, 'deny', {}, { denialReason: 'no' });
    expect(signed).toMatchObject({ approval: { status: 'denied', decider: { signed: true } } });
    expect(await world.audits.verify()).toMatchObject({ valid: true, decisions: 3, signedDecisions: 1 });
  });
});

describe('the setting', () => {
  it.each([
    ['never', { low: true, medium: true, high: true, unheard: true }],
    ['high-danger', { low: true, medium: true, high: false, unheard: false }],
    ['always', { low: false, medium: false, high: false, unheard: false }],
  ] as const)('%s lets unsigned decisions allow by danger', async (required, may) => {
    await using world = await openSigning(required);
    const ann = await world.sign('ann');
    for (const [danger, isAllowed] of Object.entries(may)) {
      const { id, needsSignature = false } = await world.ask({ danger });
      expect(needsSignature).toBe(!isAllowed);
      const decided = world.approvals.decide(ann.caller, id, 'allow-once');
      if (isAllowed) expect(await decided).toMatchObject({ approval: { decider: { signed: false } } });
      else await expect(decided).rejects.toMatchObject(refused(/signed/));
    }
  });

  it('never: a signature is kept where it is right, and does not stop the decision where it is wrong', async () => {
    await using world = await openSigning('never');
    const ann = await world.sign('ann');
    const [first, second] = [await world.ask(), await world.ask()];
    expect((await world.decide(ann, first.id)).approval.decider).toMatchObject({ signed: true });
    expect((await world.decide(ann, second.id, 'allow-once', { shown: '' })).approval).toMatchObject({
      status: 'approved',
      decider: { signed: false },
    });
  });
});

describe('allow-always', () => {
  const kind = { scope_id: 'conv_1', covers: 'rm', covers_key: 'key', coverable: 1 } as const;

  it('without a signature covers no call that needs one, neither now nor later', async () => {
    await using world = await openSigning('high-danger');
    const ann = await world.sign('ann');
    const safe = await world.ask({ ...kind, danger: 'medium' });
    const alike = await world.ask({ ...kind, danger: 'medium' });
    const risky = await world.ask({ ...kind, danger: 'high' });
    const answer = await world.approvals.decide(ann.caller, safe.id, 'allow-always', { covers: 'tool' });
    expect(answer.alsoAllowed).toEqual([alike.id]);
    expect(await statusOf(world, risky.id)).toBe('pending');
    const allowedBy = (danger: string) =>
      world.approvalStore.allowedBy('conv_1', 'run_command', 'key', danger);
    expect(await allowedBy('medium')).toBe('tool');
    expect(await allowedBy('high')).toBeUndefined();
    await world.decide(ann, risky.id, 'allow-always');
    expect(await allowedBy('high')).toBe('call');
  });

  it('with a signature decides the others too, and they name it', async () => {
    await using world = await openSigning();
    const ann = await world.sign('ann');
    const [first, second] = [await world.ask(kind), await world.ask(kind)];
    expect(await world.decide(ann, first.id, 'allow-always')).toMatchObject({ alsoAllowed: [second.id] });
    expect((await world.approvals.get(ann.caller, second.id)).decider).toMatchObject({
      signed: true,
      through: first.id,
    });
    expect(await world.audits.verify()).toMatchObject({ valid: true, decisions: 2, signedDecisions: 1 });
  });

  it('that was given unsigned counts again once it is signed', async () => {
    await using world = await openSigning('never');
    const ann = await world.sign('ann');
    await world.approvals.decide(ann.caller, (await world.ask(kind)).id, 'allow-always', { covers: 'tool' });
    world.setting.required = 'always';
    const allowedBy = () => world.approvalStore.allowedBy('conv_1', 'run_command', 'other', 'low');
    expect(await allowedBy()).toBeUndefined();
    await world.decide(ann, (await world.ask(kind)).id, 'allow-always', {}, { covers: 'tool' });
    expect(await allowedBy()).toBe('tool');
    // Once signed, an unsigned one takes nothing away.
    world.setting.required = 'never';
    await world.approvals.decide(ann.caller, (await world.ask(kind)).id, 'allow-always', { covers: 'tool' });
    world.setting.required = 'always';
    expect(await allowedBy()).toBe('tool');
  });
});
