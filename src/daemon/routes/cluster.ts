import type { FastifyInstance } from 'fastify';
import { clusterRoutes } from '../../contract/cluster.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerCluster(
  server: FastifyInstance,
  { daemons }: Pick<App, 'daemons'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    clusterRoutes,
    {
      get: () => daemons.report(),
      drain: ({ params, body }, { caller }) => daemons.drain(params.id, body, caller),
      resume: ({ params }, { caller }) => daemons.resume(params.id, caller),
    },
    check,
  );
}
