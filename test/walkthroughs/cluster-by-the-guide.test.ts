import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../bench/free-port.ts';
import { createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { livePath } from '../../src/contract/live-path.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { ensureBuilt, root } from '../cli/svc-binary.ts';
import { hasNginx, startGuideBalancer } from '../helpers/guide-balancer.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { hasPostgres, newPostgresDatabase } from '../helpers/postgres-server.ts';
import { hasRedis, RedisServer } from '../helpers/redis-server.ts';
import { follow } from '../helpers/tasks.ts';
import { ClusterDaemon } from '../rigs/cluster/cluster-daemon.ts';

beforeAll(ensureBuilt);

const svc = (args: string[], env: Record<string, string>) =>
  execa(process.execPath, [join(root, 'bin/svc.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    extendEnv: false,
    reject: false,
  });

describe.skipIf(!hasPostgres || !hasRedis || !hasNginx)(
  'three daemons behind one address, as docs/pro.md says (need PostgreSQL, Redis and nginx)',
  () => {
    it('serve tasks, streams and the live feed while one is killed, one drained and one upgraded', async () => {
      const folder = memoryFolder();
      const seed = join(folder, 'seed');
      const made = await svc(['cluster', 'init', '--file', seed], { SVC_HOME: folder });
      expect(made.exitCode).toBe(0);
      const database = await newPostgresDatabase('none');
      await using redis = await RedisServer.start();
      const port = await freePort();
      const address = `http://127.0.0.1:${port}`;
      const env = {
        SVC_MODE: 'pro',
        DATABASE_URL: database.url,
        QUEUE_STORE_URL: redis.url,
        SVC_MASTER_SEED_FILE: seed,
        SVC_BASE_URL: address,
        SVC_SERVER_TRUSTED_PROXIES: '127.0.0.1',
      };
      const daemons: ClusterDaemon[] = [];
      for (const name of ['web-1', 'web-2', 'web-3']) {
        const daemon = await ClusterDaemon.create({ ...env, SVC_DAEMON_NAME: name });
        daemons.push(daemon);
        expect(await daemon.start(), daemon.errors.join('\n')).toBe(true);
      }
      const [first, second, third] = daemons as [ClusterDaemon, ClusterDaemon, ClusterDaemon];
      await using _ = await startGuideBalancer(
        port,
        daemons.map(({ url }) => url),
      );
      const session = readFileSync(join(first.folder, 'owner-session'), 'utf8').trim();
      const headers = { cookie: `${sessionCookie}=${session}` };
      const client = createClient(contract, {
        baseUrl: address,
        fetch: (url, init) => fetch(url, init),
        headers,
      });
      const onFirst = (...args: string[]) =>
        svc(args, { ...env, SVC_HOME: first.folder, SVC_PORT: new URL(first.url).port });

      const answered = new Set<string>();
      for (let n = 0; n < 6; n++) answered.add((await client.cluster.get()).answeredBy);
      expect(answered.size).toBe(3);

      const live = new WebSocket(`${address.replace('http', 'ws')}${livePath}`, { headers });
      const seen: string[] = [];
      live.on('message', (data: Buffer) => seen.push(data.toString('utf8')));
      await once(live, 'open');
      const run = async (prompt: string) => {
        const { task } = await client.tasks.create({
          body: { title: prompt, assignedAgent: 'command', prompt },
        });
        // A stream of events through the balancer, until the task is finished.
        expect((await follow(client, task.id)).task.status).toBe('completed');
        return task.id;
      };
      const id = await run('echo one');
      await expect.poll(() => seen.some((message) => message.includes(id)), { timeout: 20_000 }).toBe(true);
      live.terminate();
      // What is too large is for svc to say: nginx takes no more than 1 MB unless told so.
      const large = await fetch(`${address}/api/tasks`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'large', prompt: 'x'.repeat(2_000_000) }),
      });
      expect(large.headers.get('content-type')).toContain('application/json');

      await third.end('SIGKILL');
      for (let n = 0; n < 12; n++) expect((await client.health.get()).status).not.toBe('unhealthy');
      await run('echo two');

      const drained = await onFirst('cluster', 'drain', 'web-2', '--stop');
      expect(drained, drained.stderr).toMatchObject({ exitCode: 0 });
      await second.ended();
      await run('echo three');
      for (const daemon of [second, third]) {
        expect(await daemon.start()).toBe(true);
        await expect
          .poll(async () => (await fetch(`${daemon.url}/api/health/ready`)).status, { timeout: 20_000 })
          .toBe(200);
      }
      await run('echo four');
      const { stdout } = await onFirst('cluster', 'ls');
      for (const name of ['web-1', 'web-2', 'web-3']) expect(stdout).toMatch(new RegExp(`${name} .*ready`));

      const file = join(folder, 'svc.tar.gz');
      expect(await onFirst('backup', '--identity', file)).toMatchObject({ exitCode: 0, stdout: file });

      for (const daemon of daemons) {
        await daemon.end('SIGTERM');
        daemon.remove();
      }
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }, 180_000);
  },
);
