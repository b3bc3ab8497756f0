import type { RunEvent } from '../../contract/run-events.ts';
import type { Feature } from '../lifecycle.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import { BullMqQueue } from '../queue/bullmq-queue.ts';
import type { ClusterDeps, ClusterServices } from './compose-cluster.ts';
import { connectRelay } from './event-relay.ts';
import { RedisConnections } from '../redis/redis-connections.ts';
import { redisCounters } from './redis-counters.ts';
import { RedisRelay } from './redis-relay.ts';
import { RedisStreamLog } from './redis-stream-log.ts';

/** What the daemons of a cluster share by Redis; without it each one goes on alone. */
export async function joinCluster(deps: ClusterDeps & { url: string }): Promise<Feature<ClusterServices>> {
  const { config, bus, daemon, runtime, reportBug } = deps;
  // Clusters may share a Redis.
  const prefix = `svc:${daemon.clusterId}`;
  const connections = await RedisConnections.open({ ...deps, ...runtime });
  try {
    await connections.check();
  } catch (error) {
    connections.close();
    throw error;
  }
  const identity = { connections, prefix, daemonId: daemon.id };
  const runStreams = new RedisStreamLog<RunEvent>(identity);
  const queues = new Set<BullMqQueue>();
  const hasOthers = () => deps.membership?.hasOtherWorkers() ?? true;
  const relay = new RedisRelay({
    ...identity,
    receive: (name, payload) => bus.receive(name, payload),
    reportBug,
  });
  return {
    services: {
      limits: new RateLimits(runtime.monotonic, redisCounters(connections, prefix)),
      cluster: {
        runStreams,
        openQueue: async (queue) => {
          const opened = await BullMqQueue.open({
            ...queue,
            connections,
            hasOthers,
            name: config.get('queue.name'),
            prefix,
          });
          queues.add(opened);
          return opened;
        },
        hasOthers,
        handOver: async () => void (await Promise.all([...queues].map((queue) => queue.handOver()))),
        redis: { awaySince: () => connections.awaySince },
        hasLostQueue: async () => {
          const lost = await Promise.all([...queues].map((queue) => queue.wasEmptied()));
          return lost.includes(true);
        },
      },
    },
    lifecycle: {
      start: () => {
        connectRelay(bus, relay);
        relay.start();
      },
      stop: async () => {
        await relay.stop();
        await runStreams.stop();
        connections.close();
      },
    },
  };
}
