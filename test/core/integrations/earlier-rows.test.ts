import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import { readTarget, storeTarget } from '../../../src/core/integrations/comments/stored-target.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { deliver, fromGithub, inboundFlags, labeledIssue } from '../../helpers/inbound.ts';

const at = '2026-05-01T12:00:00.000Z';
const products = [
  ['codehost', 'github', 'Github'],
  ['tracker_a', 'jira', 'Jira'],
  ['tracker_b', 'linear', 'Linear'],
] as const;

/** Writes a connection as earlier versions did. */
async function keepConnection(
  { app, home }: TestDaemon,
  provider: (typeof products)[number][0],
): Promise<void> {
  const { identityFile } = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  const { box } = await KeyRing.load(app.database, identityFile, { mayCreate: true });
  await app.database.write(async ({ db }) => {
    await db
      .insertInto('connections')
      .values({
        owner_id: 'user_owner',
        provider,
        account_id: '1',
        account: JSON.stringify({ teams: [] }),
        scopes: '["read"]',
        access_token: box.seal('the-access-token', `connections:user_owner:${provider}:access`),
        refresh_token: box.seal('the-refresh-token', `connections:user_owner:${provider}:refresh`),
        expires_at: null,
        created_at: at,
        updated_at: at,
      })
      .execute();
  });
}

describe('a connection that an earlier version stored', () => {
  it.each(products)(
    'finds, opens and disconnects a connection stored as %s as that of %s',
    async (provider, vendor, name) => {
      await using daemon = await startDaemon();
      await keepConnection(daemon, provider);
      const { connections, database } = daemon.app;
      expect(await connections.find('user_owner', vendor)).toMatchObject({
        provider: vendor,
        accountId: '1',
      });
      expect(await connections.accessToken('user_owner', vendor)).toBe('the-access-token');
      expect(await daemon.client.integrations[`get${name}`]()).toMatchObject({ connected: true });
      expect((await daemon.client.auth.getMe()).user).toMatchObject({
        connectedAccounts: [provider],
        hasCodehostToken: provider === 'codehost',
      });
      await daemon.client.integrations[`disconnect${name}`]();
      expect(await database.read.selectFrom('connections').selectAll().execute()).toEqual([]);
      const { entries } = await daemon.client.audit.list({ query: { tool: 'auth.disconnected' } });
      expect(entries).toMatchObject([{ arguments: { provider } }]);
    },
  );
});

it('recognizes a repeated delivery that an earlier version stored', async () => {
  await using daemon = await startDaemon({ flags: inboundFlags });
  const delivery = fromGithub(labeledIssue());
  const { body } = delivery;
  await daemon.app.database.write(async ({ db }) => {
    await db
      .insertInto('inbound_deliveries')
      .values({
        id: 'inb_1',
        provider: 'codehost',
        delivery_id: 'another id',
        body_hash: hash('sha256', body),
        event: 'issues',
        action: 'opened',
        status: 'accepted',
        reason: null,
        task_id: 'task_1',
        source_id: null,
        sender: null,
        copies: 1,
        bytes: body.length,
        payload: null,
        received_at: at,
        last_received_at: at,
        replay_of: null,
      })
      .execute();
  });
  expect((await deliver(daemon, delivery)).body).toMatchObject({
    status: 'duplicate',
    taskId: 'task_1',
    id: 'inb_1',
  });
  const { deliveries } = await daemon.client.inbound.list({ query: { provider: 'codehost' } });
  expect(deliveries).toMatchObject([{ id: 'inb_1', provider: 'codehost', copies: 2 }]);
});

it('stores the destination of a comment as earlier versions did', () => {
  const stored = '{"provider":"codehost","repository":"octo/hello","number":7}';
  const target = { provider: 'github', repository: 'octo/hello', number: 7 };
  expect(readTarget(stored)).toEqual(target);
  expect(storeTarget(readTarget(stored))).toBe(stored);
  expect(readTarget('{"provider":"tracker_b","issueId":"i-7"}')).toEqual({
    provider: 'linear',
    issueId: 'i-7',
  });
});
