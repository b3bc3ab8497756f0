import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { requireNeighbours } from '../../../../src/core/storage/postgres/version-skew.ts';
import { hasPostgres, newPostgresDatabase } from '../../../helpers/postgres-server.ts';
import { placeDaemon } from './place-daemon.ts';

describe.skipIf(!hasPostgres)('daemons of different versions (needs PostgreSQL)', () => {
  it('work together where they are at most one minor version apart', async () => {
    const { url, drop } = await newPostgresDatabase();
    const client = new pg.Client(url);
    await client.connect();
    await requireNeighbours(client, '7.0.0');
    await placeDaemon(client, 'web-1', '1.4.2');
    for (const version of ['1.3.0', '1.4.9', '1.5.0-beta.1']) await requireNeighbours(client, version);
    for (const version of ['1.2.9', '1.6.0', '2.4.2'])
      await expect(requireNeighbours(client, version)).rejects.toThrow(
        `This is svc ${version}, and the daemon web-1 is of svc 1.4.2. Daemons of a cluster may be one minor version apart.`,
      );
    // One that was killed counts as stopped.
    await client.query("update daemons set seen_at = '2026-01-01T00:00:00.000Z'");
    await requireNeighbours(client, '2.4.2');
    await client.end();
    await drop();
  });

  it('find none in a database without tables', async () => {
    const { url, drop } = await newPostgresDatabase('none');
    const client = new pg.Client(url);
    await client.connect();
    await requireNeighbours(client, '1.0.0');
    await client.end();
    await drop();
  });
});
