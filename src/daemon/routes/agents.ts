import type { FastifyInstance } from 'fastify';
import { agentsRoutes } from '../../contract/agents.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerAgents(
  server: FastifyInstance,
  { registry }: Pick<App, 'registry'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    agentsRoutes,
    {
      list: async () => ({ agents: await registry.list() }),
      listTypes: () => ({ types: registry.types() }),
    },
    check,
  );
}
