import type { FastifyInstance } from 'fastify';
import { toolsRoutes } from '../../contract/tools.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerTools(
  server: FastifyInstance,
  app: Pick<App, 'loadRuns'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    toolsRoutes,
    {
      list: async ({ query }) => {
        const { tools, servers } = await (await app.loadRuns()).registry.describe();
        return { ...pageOf('tools', tools, query), servers };
      },
    },
    check,
  );
}
