import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { runSql } from '../../helpers/daemon-rows.ts';
import { send } from '../../helpers/http.ts';

/** Ten events of the owner. */
async function makeEvents({ client }: TestDaemon): Promise<void> {
  for (let at = 0; at < 10; at++)
    await client.tokens.create({ body: { name: `token ${at}`, scopes: ['tasks:read'] } });
}

describe('the audit log', () => {
  it('lists the audit log newest first, filtered by any property', async () => {
    await using daemon = await startDaemon();
    await makeEvents(daemon);
    await send(daemon, 'POST', '/api/auth/verify-access-key', { key: 'wrong' });
    const all = await daemon.client.audit.list();
    expect(all).toMatchObject({ total: 11, limit: 50, offset: 0 });
    expect(all.entries.map(({ seq }) => seq)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(all.entries[0]).toMatchObject({
      kind: 'security',
      tool: 'auth.sign_in',
      result: 'refused',
      address: '127.0.0.1',
    });
    const list = (query: object) => daemon.client.audit.list({ query });
    expect((await list({ tool: 'tokens.created' })).total).toBe(10);
    expect((await list({ tool: 'tokens.created', limit: 3, offset: 8 })).entries).toHaveLength(2);
    expect((await list({ userId: 'nobody' })).total).toBe(0);
    expect((await list({ from: '2999-01-01' })).total).toBe(0);
    expect((await list({ to: '2999-01-01' })).total).toBe(11);
    const [newest] = all.entries;
    const { entry } = await daemon.client.audit.get({ params: { id: newest?.id ?? '' } });
    expect(entry).toEqual(newest);
    await expect(daemon.client.audit.get({ params: { id: 'audit_x' } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it.each([
    ['whole', [], { valid: true, entries: 10 }],
    ['changed', ["update audit_log set result = 'refused' where seq = 4"], { valid: false, brokenAt: 4 }],
    [
      'changed in its arguments',
      ["update audit_log set arguments = '{}' where seq = 7"],
      { valid: false, brokenAt: 7 },
    ],
    ['short of an entry', ['delete from audit_log where seq = 5'], { valid: false, brokenAt: 6 }],
    ['short of its beginning', ['delete from audit_log where seq = 1'], { valid: false, brokenAt: 2 }],
    [
      'in another order',
      [
        [3, 99],
        [4, 3],
        [99, 4],
      ].map(([from, to]) => `update audit_log set seq = ${to} where seq = ${from}`),
      { valid: false, brokenAt: 3 },
    ],
  ])('detects an audit log %s', async (_, damage, expected) => {
    await using daemon = await startDaemon();
    await makeEvents(daemon);
    const before = await daemon.client.audit.verify();
    for (const statement of damage) await runSql(daemon, statement);
    const after = await daemon.client.audit.verify();
    expect(after).toMatchObject(expected);
    if (expected.valid) expect(after.lastHash).toBe(before.lastHash);
  });

  it('the last hash reveals a truncated audit log', async () => {
    await using daemon = await startDaemon();
    await makeEvents(daemon);
    const { lastHash } = await daemon.client.audit.verify();
    await runSql(daemon, 'delete from audit_log where seq = 10');
    const after = await daemon.client.audit.verify();
    expect(after).toMatchObject({ valid: true, entries: 9 });
    expect(after.lastHash).not.toBe(lastHash);
  });
});
