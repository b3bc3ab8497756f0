import { describe, expect, it } from 'vitest';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasPostgres } from '../helpers/postgres-server.ts';
import { hasRedis } from '../helpers/redis-server.ts';
import { faults } from './cluster/faults.ts';
import { runCluster } from './cluster/rig.ts';

/** The one that is left out takes longer than all others together. */
const names = faults.map(({ name }) => name).filter((name) => name !== 'Redis away for 5 minutes');

describe.skipIf(!hasPostgres || !hasRedis)('three daemons (need PostgreSQL and Redis)', () => {
  it('lose nothing and do nothing twice, whatever fails', { timeout: 900_000 }, async () => {
    ensureBuilt();
    const report = await runCluster({
      daemons: 3,
      faults: names.length,
      kills: 0,
      seed: 1,
      names,
      say: () => undefined,
    });
    expect(report.violations).toEqual([]);
    expect(report.bugs).toEqual([]);
    expect(Object.keys(report.faults).toSorted()).toEqual(names.toSorted());
    expect(report.tasks).toBeGreaterThan(names.length);
  });
});
