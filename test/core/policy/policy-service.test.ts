import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { PolicyService } from '../../../src/core/policy/policy-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { canRace, openRace, overlap } from '../../helpers/race.ts';
import { openStorage, type TestStorage } from '../../helpers/storage.ts';

const load = ({ database, bus }: TestStorage) =>
  PolicyService.load({
    database,
    bus,
    audit: new AuditLog(systemRuntime, database.engine),
    daemon: { isInCluster: true },
    reportBug: (error) => {
      throw error;
    },
  });
const ann = { userId: 'user_ann' };

describe('the policy', () => {
  it('keeps every one of several changes at the same time', async () => {
    await using storage = await openStorage();
    const policy = await load(storage);
    await Promise.all([
      policy.update({ blockedTools: ['run_command'] }, ann),
      policy.update({ defaultMode: 'deny' }, ann),
    ]);
    const stored = (await load(storage)).policy;
    expect(stored).toMatchObject({ blockedTools: ['run_command'], defaultMode: 'deny' });
    expect(policy.policy).toEqual(stored);
  });
});

describe.skipIf(!canRace)('the policy of two daemons (needs PostgreSQL)', () => {
  it('keeps the changes of both', async () => {
    await using race = await openRace();
    const other = await load(race.other);
    await overlap(
      race,
      async (storage) => (await load(storage)).setGuard('shell-injection', false, ann),
      () => other.setGuard('path-traversal', false, ann),
    );
    await overlap(
      race,
      async (storage) => (await load(storage)).update({ blockedTools: ['run_command'] }, ann),
      () => other.update({ defaultMode: 'deny' }, ann),
    );
    const stored = await load(race.one);
    const off = stored.guards().filter(({ enabled }) => !enabled);
    expect(off.map(({ name }) => name).sort()).toEqual(['path-traversal', 'shell-injection']);
    expect(stored.policy).toMatchObject({ blockedTools: ['run_command'], defaultMode: 'deny' });
  });
});
