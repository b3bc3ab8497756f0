import pg from 'pg';
import { expect, it } from 'vitest';
import type { Migration } from '../../src/core/storage/migration.ts';
import { migratePostgres, postgresMigrations } from '../../src/core/storage/postgres/migrate-postgres.ts';
import { describeCluster } from '../helpers/cluster.ts';
import { startDaemon } from '../helpers/daemon.ts';
import { newProEnvironment } from '../helpers/pro-environment.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';

/** What a release may add beside daemons of the one before. */
const expand: Migration = async (db) => {
  await db.schema
    .createTable('later_things')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .execute();
  for (const table of ['tasks', 'task_events', 'daemons', 'audit_log', 'conversations'])
    await db.schema
      .alterTable(table)
      .addColumn('later', 'text', (column) => column.notNull().defaultTo('of an older daemon'))
      .execute();
  await db.schema.createIndex('tasks_by_later').on('tasks').column('later').execute();
};

describeCluster('daemons of two versions (need PostgreSQL and Redis)', () => {
  it('go on beside a newer one that adds to the database, and start on it, until it takes something away', async () => {
    const cluster = await newProEnvironment();
    const extraAdapters = [testAdapter(async () => ({ output: 'done' }))];
    const client = new pg.Client(cluster.env['DATABASE_URL']);
    await client.connect();
    const upgrade = (name: string, up: Migration, contracts: boolean) =>
      migratePostgres(client, { migrations: { ...postgresMigrations, [name]: { up, contracts } } });
    {
      await using running = await startDaemon({ cluster, extraAdapters });
      const run = async (daemon: typeof running) => {
        const { task } = await daemon.client.tasks.create({ body: { title: 'Here', assignedAgent: 'test' } });
        expect((await follow(daemon.client, task.id)).task.status).toBe('completed');
        expect((await daemon.client.tasks.filter({ query: { q: 'here' } })).tasks[0]?.id).toBe(task.id);
      };
      await run(running);
      await upgrade('9998-later', expand, false);
      await run(running);
      await using started = await startDaemon({ cluster, extraAdapters });
      await run(started);
      expect(await running.client.audit.verify()).toMatchObject({ valid: true });
      const { rows } = await client.query('select distinct later from tasks');
      expect(rows).toEqual([{ later: 'of an older daemon' }]);
    }
    await upgrade('9999-without', (db) => db.schema.dropTable('experiences').execute(), true);
    await expect(startDaemon({ cluster, extraAdapters })).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'The database was upgraded by a newer svc (it has 9999-without). Upgrade svc, or use another database.',
    });
    await client.end();
    await cluster.remove();
  }, 180_000);
});
