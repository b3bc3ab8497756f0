import type { Feature } from '../lifecycle.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import { BullMqQueue } from '../queue/bullmq-queue.ts';
import type { ClusterDeps, ClusterServices } from './cluster-services.ts';
import { ClusterRoutes } from './cluster-routes.ts';
import { connectRelay } from './event-relay.ts';
import { RedisConnections } from '../redis/redis-connections.ts';
import { redisCounters } from './redis-counters.ts';
import { RedisRelay } from './redis-relay.ts';
import type { TurnEvent } from './stream-log.ts';
import { RedisStreamLog } from './redis-stream-log.ts';

/** How late a daemon notices an event of another one of which it was not told. */
const DOUBT_EVERY_MS = 5000;

/** What the daemons of a cluster share by Redis; without it each one continues alone. */
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
  const runStreams = new RedisStreamLog<TurnEvent>(identity);
  let doubting: NodeJS.Timeout | undefined;
  const queues = new Set<BullMqQueue>();
  const { membership } = deps;
  const routes = membership && new ClusterRoutes({ daemon, membership });
  const listen = () => {
    for (const queue of queues) queue.listen().catch(reportBug);
  };
  membership?.onOthers(listen);
  bus.onLocal('agents_changed', listen);
  const hasOthers = () => deps.membership?.hasOtherWorkers() ?? true;
  const relay = new RedisRelay({
    ...identity,
    columns: deps.taskColumns,
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
            ...(membership && {
              capacity: {
                bus,
                daemonId: daemon.id,
                others: () => membership.others.map(({ id }) => id),
                monotonic: runtime.monotonic,
              },
            }),
            ...(routes && { routes }),
            name: config.get('queue.name'),
            prefix,
          });
          queues.add(opened);
          return opened;
        },
        hasOthers,
        handOver: async () => void (await Promise.all([...queues].map((queue) => queue.handOver()))),
        redis: { fault: () => connections.fault() },
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
        doubting = setInterval(() => bus.doubt(), DOUBT_EVERY_MS).unref();
      },
      stop: async () => {
        clearInterval(doubting);
        await relay.stop();
        await runStreams.stop();
        connections.close();
      },
    },
  };
}
