import fc from 'fast-check';
import type { DatabaseSpace } from '../../../src/core/storage/database.ts';
import type { StorageFault } from '../../../src/core/storage/storage-fault.ts';
import { describe, expect, it } from 'vitest';
import { AgentRegistry } from '../../../src/core/agents/agent-registry.ts';
import { Config } from '../../../src/core/config/config.ts';
import { HealthService, judgeDeadLetters, judgeQueue } from '../../../src/core/health/health-service.ts';
import type { QueueStatusService } from '../../../src/core/tasks/queue-status-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { testAdapter } from '../../helpers/tasks.ts';

describe('judgeQueue', () => {
  it.each([
    [0, 'healthy', /./],
    [100, 'healthy', /./],
    [101, 'degraded', /^high queue depth detected$/i],
    [500, 'degraded', /^high queue depth detected$/i],
    [501, 'unhealthy', /^critical queue depth$/i],
    [1_000_000, 'unhealthy', /^critical queue depth$/i],
  ] as const)('rates %i active tasks as %s', (active, level, message) => {
    expect(judgeQueue(active)).toEqual([level, expect.stringMatching(message)]);
  });
});

describe('judgeDeadLetters', () => {
  it.each([
    [0, 'healthy', /./],
    [9, 'healthy', /./],
    [10, 'degraded', /^review recommended$/i],
    [49, 'degraded', /^review recommended$/i],
    [50, 'unhealthy', /^immediate attention required$/i],
    [100_000, 'unhealthy', /^immediate attention required$/i],
  ] as const)('rates %i dead letters as %s', (pending, level, message) => {
    expect(judgeDeadLetters(pending)).toEqual([level, expect.stringMatching(message)]);
  });
});

it('the health level never improves with more tasks', () => {
  const rank = { healthy: 0, degraded: 1, unhealthy: 2 };
  fc.assert(
    fc.property(fc.nat(2000), fc.nat(2000), (count, more) => {
      for (const judge of [judgeQueue, judgeDeadLetters])
        expect(rank[judge(count + more)[0]]).toBeGreaterThanOrEqual(rank[judge(count)[0]]);
    }),
  );
});

const space = { onDisk: () => ({ databaseBytes: 1, diskFreeBytes: 1 }) } as DatabaseSpace;

describe('the health of the service', () => {
  const nothing = { pending: 0, queued: 0, inProgress: 0, completed: 0, failed: 0 };

  /** The report over agents of this health. */
  async function reportOf(
    healths: boolean[],
    counts: Partial<typeof nothing> = {},
    pendingLetters = 0,
    fault?: StorageFault,
  ) {
    const registry = new AgentRegistry({
      adapters: healths.map((healthy, index) =>
        testAdapter(async () => ({ output: '' }), {
          type: `t${index}`,
          checkHealth: async () => ({ healthy }),
        }),
      ),
      config: new Config({ env: {}, settingsFile: '/nowhere/settings.json' }),
      stats: { cells: async () => [], lastActivity: async () => undefined },
      runtime: systemRuntime,
    });
    const status = {
      queues: { tasks: { ...nothing, ...counts } },
      deadLetterQueue: { pending: pendingLetters, resolved: 0, discarded: 0, total: pendingLetters },
    };
    const queueStatus = { read: async () => status } as unknown as QueueStatusService;
    return new HealthService({
      database: { checkNow: async () => fault, space },
      queueStatus,
      registry,
      sandbox: { check: async () => ({ isWorking: true }) },
      modelProviders: { breakers: () => [] },
      runtime: systemRuntime,
    }).report();
  }

  it('is unhealthy while nothing can be stored, and says what to do', async () => {
    const message = 'The disk is full. Free some space.';
    const report = await reportOf([true], {}, 0, { kind: 'full', message });
    expect(report.status).toBe('unhealthy');
    expect(report.components.storage).toMatchObject({
      status: 'unhealthy',
      message,
      details: { fault: 'full' },
    });
  });

  it.each([
    [[], 'healthy'],
    [[true], 'healthy'],
    [[true, false], 'degraded'],
    [[false], 'unhealthy'],
    [[false, false], 'unhealthy'],
  ] as const)('with agents of health %j the service is %s', async (healths, level) => {
    const report = await reportOf([...healths]);
    expect(report.components.adapters.status).toBe(level);
    expect(report.status).toBe(level);
  });

  it('the overall health is that of the worst component', async () => {
    expect((await reportOf([true], { queued: 101 })).status).toBe('degraded');
    expect((await reportOf([true], { queued: 101 }, 50)).status).toBe('unhealthy');
    expect((await reportOf([false], { queued: 101 }, 10)).status).toBe('unhealthy');
  });

  it('counts waiting and running tasks as active, but no finished ones', async () => {
    const counts = { pending: 30, queued: 30, inProgress: 40, completed: 5000, failed: 5000 };
    const { components } = await reportOf([true], counts);
    expect(components.queue).toMatchObject({ status: 'healthy', details: { ...counts, active: 100 } });
    expect((await reportOf([true], { ...counts, inProgress: 41 })).components.queue.status).toBe('degraded');
  });
});
