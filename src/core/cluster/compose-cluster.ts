import type { Feature } from '../lifecycle.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import { MemoryQueue } from '../queue/memory-queue.ts';
import type { ClusterDeps, ClusterServices } from './cluster-services.ts';

/** Joins the daemon to the others by Redis, or gives it what works within the process where it is alone. */
export async function composeCluster(deps: ClusterDeps): Promise<Feature<ClusterServices>> {
  const url = deps.config.get('queue.redis.url');
  if (url === undefined) return alone(deps);
  // A daemon that is alone never loads Redis.
  const { joinCluster } = await import('./join-cluster.ts');
  return joinCluster({ ...deps, url });
}

const alone = ({ runtime }: ClusterDeps): Feature<ClusterServices> => ({
  services: {
    limits: new RateLimits(runtime.monotonic),
    cluster: {
      openQueue: async (queue) => new MemoryQueue(queue),
      hasOthers: () => false,
      handOver: async () => undefined,
      hasLostQueue: async () => false,
    },
  },
});
