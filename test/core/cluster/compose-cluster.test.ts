import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { ClusterDeps } from '../../../src/core/cluster/cluster-services.ts';
import { composeCluster } from '../../../src/core/cluster/compose-cluster.ts';
import type { Config } from '../../../src/core/config/config.ts';
import { EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import { MemoryQueue } from '../../../src/core/queue/memory-queue.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { patienceMs } from '../../helpers/long.ts';
import { hasRedis, newPrefix, RedisServer, sharedRedis } from '../../helpers/redis-server.ts';

/** That of all daemons of this file. */
const clusterId = newPrefix();

const depsOf = (url: string | undefined, name = 'tasks'): ClusterDeps => {
  const values: Record<string, unknown> = { 'queue.redis.url': url, 'queue.name': name };
  return {
    config: { get: (key: string) => values[key] } as unknown as Config,
    bus: new EventBus(),
    daemon: {
      id: newPrefix(),
      isInCluster: true,
      clusterId,
      name: 'a',
      host: 'a',
      labels: [],
      hasLabel: () => false,
    },
    taskColumns: [],
    runtime: systemRuntime,
    log: silentLog,
    reportBug: (error) => {
      throw error;
    },
  };
};

describe('a daemon without Redis', () => {
  it('has a queue in its process', async () => {
    const { services, lifecycle } = await composeCluster(depsOf(undefined));
    expect(await services.cluster.openQueue({})).toBeInstanceOf(MemoryQueue);
    expect(await services.cluster.hasLostQueue()).toBe(false);
    expect(lifecycle).toBeUndefined();
  });

  it('does not import what needs it', () => {
    const source = readFileSync(
      new URL('../../../src/core/cluster/compose-cluster.ts', import.meta.url),
      'utf8',
    );
    expect(source).not.toMatch(/^import .*(?:redis|bullmq|join-cluster)/m);
  });
});

describe.skipIf(!hasRedis)('two daemons with one Redis', () => {
  it('share their queue, their limits and their events', async () => {
    const { url } = await sharedRedis();
    const name = newPrefix();
    const all = [depsOf(url, name), depsOf(url, name)] as const;
    const [a, b] = [await composeCluster(all[0]), await composeCluster(all[1])];
    const heard: string[] = [];
    all[1].bus.on('token_ended', ({ tokenId }) => heard.push(tokenId));
    for (const { lifecycle } of [a, b]) await lifecycle?.start?.();
    const [producer, worker] = [
      await a.services.cluster.openQueue({}),
      await b.services.cluster.openQueue({}),
    ];
    const delivered: string[] = [];
    await worker.start(async (id) => void delivered.push(id), { concurrency: 1 });
    await producer.enqueue('task_1');
    const limit = { max: 1, windowMs: 60_000 };
    await a.services.limits.take(name, 'key', limit);
    await expect(b.services.limits.take(name, 'key', limit)).rejects.toMatchObject({ code: 'rate_limited' });
    await vi.waitFor(
      () => {
        all[0].bus.emit('token_ended', { tokenId: name });
        expect(heard).toContain(name);
        expect(delivered).toEqual(['task_1']);
      },
      { timeout: patienceMs },
    );
    await worker.close();
    await producer.close();
    for (const { lifecycle } of [a, b]) await lifecycle?.stop?.(0);
  });

  it('do not start with one that may drop keys', async () => {
    await using server = await RedisServer.start('--maxmemory-policy', 'volatile-lru');
    await expect(composeCluster(depsOf(server.url))).rejects.toMatchObject({ code: 'configuration' });
  });
});
