import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { EventBus } from '../../../src/core/events.ts';
import { SessionService } from '../../../src/core/auth/session-service.ts';
import { SessionStore } from '../../../src/core/auth/session-store.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { openStorage, type TestStorage } from '../../helpers/storage.ts';

const DAY = 86_400_000;

/** A service whose clock the test moves. */
async function serviceOf({ database }: TestStorage) {
  const clock = { ms: Date.parse('2026-01-01T00:00:00.000Z') };
  const runtime = { ...systemRuntime, now: () => new Date(clock.ms), monotonic: () => clock.ms };
  await database.write(({ db }) =>
    db
      .insertInto('users')
      .values(
        ['ann', 'bob'].map((id) => ({
          id,
          email: id,
          name: id,
          role: 'user',
          onboarding_completed: 0,
          created_at: '',
        })),
      )
      .execute(),
  );
  const parts = {
    database,
    store: new SessionStore(database),
    audit: new AuditLog(runtime, database.engine),
  };
  return {
    clock,
    sessions: new SessionService({
      ...parts,
      bus: new EventBus(),
      runtime,
      reportBug: (error) => {
        throw error;
      },
    }),
  };
}
const sessionRows = async ({ database }: TestStorage) =>
  (await database.read.selectFrom('sessions').selectAll().execute()).length;

describe('a session', () => {
  it('a session is valid for exactly thirty days', async () => {
    await using storage = await openStorage();
    const { clock, sessions } = await serviceOf(storage);
    const { token, expiresAt } = await sessions.create({ userId: 'ann', kind: 'sign-in' });
    expect(expiresAt).toBe('2026-01-31T00:00:00.000Z');
    expect(await sessions.resolve(token)).toMatchObject({ userId: 'ann', role: 'user' });
    clock.ms += 30 * DAY - 2000;
    expect(await sessions.resolve(token)).toMatchObject({ userId: 'ann' });
    clock.ms += 2000;
    expect(await sessions.resolve(token)).toBeUndefined();
  });

  it('a session has a random token of 256 bits', async () => {
    await using storage = await openStorage();
    const { sessions } = await serviceOf(storage);
    const tokens = await Promise.all(
      Array.from({ length: 50 }, () => sessions.create({ userId: 'ann', kind: 'sign-in' })),
    );
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(50);
    for (const { token } of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    for (const made of ['', 'x', 'A'.repeat(43), `${tokens[0]?.token}A`, tokens[0]?.token.slice(1) ?? ''])
      expect(await sessions.resolve(made)).toBeUndefined();
  });

  it('revoking a session takes effect at once and keeps the others', async () => {
    await using storage = await openStorage();
    const { sessions } = await serviceOf(storage);
    const [first, second] = [
      await sessions.create({ userId: 'ann', kind: 'sign-in' }),
      await sessions.create({ userId: 'ann', kind: 'sign-in' }),
    ];
    const caller = await sessions.resolve(first.token);
    if (!caller) throw new Error('The session is not known');
    await sessions.end(caller);
    expect(await sessions.resolve(first.token)).toBeUndefined();
    expect(await sessions.resolve(second.token)).toMatchObject({ userId: 'ann' });
  });

  it('the owner has one session at a time, which does not expire', async () => {
    await using storage = await openStorage();
    const { clock, sessions } = await serviceOf(storage);
    const first = await sessions.create({ userId: 'ann', kind: 'owner' });
    expect(first.expiresAt).toBeUndefined();
    clock.ms += 5000 * DAY;
    expect(await sessions.resolve(first.token)).toMatchObject({ userId: 'ann' });
    const second = await sessions.create({ userId: 'ann', kind: 'owner' });
    expect(await sessions.resolve(first.token)).toBeUndefined();
    expect(await sessions.resolve(second.token)).toMatchObject({ userId: 'ann' });
  });

  it('an expired session is removed at the next sign-in', async () => {
    await using storage = await openStorage();
    const { clock, sessions } = await serviceOf(storage);
    await sessions.create({ userId: 'ann', kind: 'sign-in' });
    clock.ms += 31 * DAY;
    await sessions.create({ userId: 'bob', kind: 'sign-in' });
    expect(await sessionRows(storage)).toBe(1);
  });

  it('sessions are deleted with their user', async () => {
    await using storage = await openStorage();
    const { clock, sessions } = await serviceOf(storage);
    const { token } = await sessions.create({ userId: 'ann', kind: 'sign-in' });
    await storage.database.write(({ db }) => db.deleteFrom('users').where('id', '=', 'ann').execute());
    clock.ms += 2000;
    expect(await sessions.resolve(token)).toBeUndefined();
    expect(await sessionRows(storage)).toBe(0);
  });
});
