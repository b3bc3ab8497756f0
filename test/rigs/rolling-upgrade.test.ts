import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasNginx } from '../helpers/guide-balancer.ts';
import { hasPostgres } from '../helpers/postgres-server.ts';
import { hasRedis } from '../helpers/redis-server.ts';
import { upgradeCluster } from './cluster/rolling-upgrade.ts';

beforeAll(ensureBuilt);

describe.skipIf(!hasPostgres || !hasRedis || !hasNginx)(
  'a rolling upgrade (needs PostgreSQL, Redis and nginx)',
  () => {
    it('fails no request behind the balancer of the guide, and loses and repeats no task', async () => {
      const { failures, requests, ...report } = await upgradeCluster(3, () => undefined);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(100);
      expect(report).toMatchObject({ violations: [], runAgain: 0, versions: ['0.2.0', '0.2.0', '0.2.0'] });
    }, 300_000);
  },
);
