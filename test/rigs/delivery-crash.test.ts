import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../src/core/secrets/key-ring.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { openSqlite } from '../../src/core/storage/sqlite/open-sqlite.ts';
import { WebhookDeliveryStore } from '../../src/core/webhooks/webhook-delivery-store.ts';
import { addWebhook, bodyOf } from '../core/webhooks/delivery-world.ts';
import { startLoopbackServer } from '../core/outbound/loopback-server.ts';
import { temporaryFolder } from '../helpers/daemon.ts';
import { until } from '../helpers/tasks.ts';
import { startRigDaemon } from './crash/daemon-process.ts';

const schedule = [30, 300, 1800, 7200, 43_200];
const flags = { 'outbound.allowPrivate': ['127.0.0.1/32'] };

/** The data folder of a daemon, which is read and changed while no daemon runs. */
function dataOf(home: string) {
  const file = join(home, 'data', 'svc.db');
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  return {
    async change(work: (database: Database, keys: KeyRing) => Promise<unknown>) {
      const reportBug = (error: unknown) => expect.fail(String(error));
      const database = await openSqlite({ file, synchronous: 'FULL', cacheMiB: 4, reportBug });
      await work(database, await KeyRing.load(database, join(home, 'data', 'identity'), { mayCreate: true }));
      await database.close();
    },
    /** Reads beside the daemon. */
    read(query: string): Record<string, unknown>[] {
      const native = new DatabaseSync(file, { readOnly: true });
      try {
        return native.prepare(query).all();
      } finally {
        native.close();
      }
    },
  };
}

describe('a delivery whose daemon is killed after each attempt', () => {
  it(
    'a delivery keeps its schedule, id and bytes when the daemon is killed after each attempt',
    { timeout: 300_000 },
    async () => {
      const home = temporaryFolder();
      const data = dataOf(home);
      /** What the first daemon dies of: it has sent, and cannot write that down any more. */
      let onFirst: (() => void) | undefined;
      await using receiver = await startLoopbackServer((response, { path }) => {
        if (path === '/well') response.end();
        else if (onFirst) onFirst();
        else response.writeHead(500).end();
      });
      const sent = () => receiver.requests.filter(({ path }) => path === '/ill');
      const add = (database: Database, id: string, webhook_id: string) =>
        database.write(async (transaction) =>
          new WebhookDeliveryStore(database).insert(transaction, {
            id,
            webhook_id,
            event: 'task.completed',
            task_id: null,
            body: bodyOf(id),
            at: new Date().toISOString(),
          }),
        );
      const row = () => data.read("select * from webhook_deliveries where id = 'dlv_ill'")[0] ?? {};
      try {
        await data.change(async (database, keys) => {
          await addWebhook(database, 'wh_ill', { url: `${receiver.url}/ill` }, keys);
          await addWebhook(database, 'wh_well', { url: `${receiver.url}/well` }, keys);
          await add(database, 'dlv_ill', 'wh_ill');
        });
        const arrived = new Promise<void>((resolve) => {
          onFirst = resolve;
        });
        const [unlucky] = await Promise.all([startRigDaemon({ home, flags }), arrived]);
        await unlucky?.end('SIGKILL');
        onFirst = undefined;
        expect(row()).toMatchObject({ status: 'pending', attempt: 0 });

        for (const attempt of [1, 2, 3, 4, 5, 6]) {
          const before = sent().length;
          const daemon = await startRigDaemon({ home, flags });
          await until(() => expect(row()).toMatchObject({ attempt }));
          await daemon?.end('SIGKILL');
          expect(sent()).toHaveLength(before + 1);
          if (attempt === 6) break;
          const waitMs = Date.parse(String(row()['next_attempt_at'])) - Date.parse(String(row()['at']));
          const promised = (schedule[attempt - 1] ?? 0) * 1000;
          expect(waitMs).toBeGreaterThanOrEqual(promised);
          expect(waitMs).toBeLessThanOrEqual(promised * 1.1);
          if (attempt === 1 || attempt === 5) {
            // Another daemon takes up both and sends only the one that is due.
            const well = `dlv_well${attempt}`;
            await data.change((database) => add(database, well, 'wh_well'));
            const early = await startRigDaemon({ home, flags });
            await until(() =>
              expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toContain(well),
            );
            await early?.end('SIGKILL');
            expect(sent()).toHaveLength(before + 1);
          }
          // The time passes.
          await data.change((database) =>
            database.write(({ db }) =>
              db
                .updateTable('webhook_deliveries')
                .set({ next_attempt_at: new Date().toISOString() })
                .where('id', '=', 'dlv_ill')
                .execute(),
            ),
          );
        }
        expect(row()).toMatchObject({ status: 'failed', next_attempt_at: null });
        expect(data.read("select status from webhooks where id = 'wh_ill'")).toEqual([{ status: 'failing' }]);
        expect(data.read("select id from notifications where type = 'webhook_failing'")).toHaveLength(1);
        expect(new Set(sent().map(({ body }) => body))).toEqual(new Set([bodyOf('dlv_ill')]));
        expect(new Set(sent().map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['dlv_ill']));
        expect(sent()).toHaveLength(7);
      } finally {
        rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      }
    },
  );
});
