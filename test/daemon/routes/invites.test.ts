import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';

const DAY = 86_400_000;
const password = 'correct horse 1';
const signUp = (daemon: TestDaemon, name: string, inviteCode: string) =>
  send(daemon, 'POST', '/api/auth/signup', { email: `${name}@example.org`, password, name, inviteCode });

describe('an invite', () => {
  it('an invite creates one account with its role', async () => {
    await using daemon = await startDaemon();
    const { invite, code } = await daemon.client.invites.create({ body: { role: 'admin' } });
    expect(invite).toMatchObject({
      id: expect.stringMatching(/^invite_/),
      role: 'admin',
      createdBy: 'user_owner',
    });
    expect((await signUp(daemon, 'ann', code)).body).toMatchObject({ user: { role: 'admin' } });
    expect(await signUp(daemon, 'bob', code)).toMatchObject({
      status: 403,
      body: { error: 'This invite has been used. An invite is for one account.' },
    });
    const { invites } = await daemon.client.invites.list();
    expect(invites).toEqual([
      { ...invite, usedAt: expect.any(String), usedBy: expect.stringMatching(/^user_/) },
    ]);
    expect(JSON.stringify(invites)).not.toContain(code);
  });

  it('an invite creates one account even when a hundred use it at once', async () => {
    await using daemon = await startDaemon();
    const { code } = await daemon.client.invites.create({ body: {} });
    const place = { isTrustedClient: false, client: {} };
    const all = Array.from({ length: 100 }, (_, at) =>
      daemon.app.accounts.signUp(
        { email: `u${at}@example.org`, password, name: 'U', inviteCode: code },
        place,
      ),
    );
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('an invite with an address works only for that address', async () => {
    await using daemon = await startDaemon();
    const { code } = await daemon.client.invites.create({ body: { email: 'Ann@example.org' } });
    expect(await signUp(daemon, 'bob', code)).toMatchObject({
      status: 403,
      body: { error: 'This invite is for another e-mail address.' },
    });
    expect((await signUp(daemon, 'ann', code)).status).toBe(200);
  });

  it('an invite expires', async () => {
    const clock = { ms: Date.now() };
    const runtime = { ...systemRuntime, now: () => new Date(clock.ms) };
    await using daemon = await startDaemon({ runtime });
    const { code } = await daemon.client.invites.create({ body: { expiresInDays: 2 } });
    clock.ms += 2 * DAY;
    expect(await signUp(daemon, 'ann', code)).toMatchObject({
      status: 403,
      body: { error: 'This invite has expired.' },
    });
  });

  it('an invite can be revoked', async () => {
    await using daemon = await startDaemon();
    const { invite, code } = await daemon.client.invites.create({ body: {} });
    await daemon.client.invites.delete({ params: { id: invite.id } });
    expect((await signUp(daemon, 'ann', code)).status).toBe(403);
    await expect(daemon.client.invites.delete({ params: { id: invite.id } })).rejects.toMatchObject({
      status: 404,
    });
    expect(await auditedEvents(daemon)).toEqual(['auth.invite_created ok', 'auth.invite_removed ok']);
  });

  it.each([{ role: 'root' }, { email: 'nobody' }, { expiresInDays: 0 }, { expiresInDays: 366 }])(
    'rejects the invite %j',
    async (body) => {
      await using daemon = await startDaemon();
      expect((await send(daemon, 'POST', '/api/auth/invites', body, daemon.headers)).status).toBe(400);
    },
  );
});
