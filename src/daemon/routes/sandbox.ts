import type { FastifyInstance } from 'fastify';
import { sandboxRoutes } from '../../contract/sandbox.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerSandbox(
  server: FastifyInstance,
  { loadSandboxService }: Pick<App, 'loadSandboxService'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    sandboxRoutes,
    {
      explain: async ({ query }) => ({ sandbox: await (await loadSandboxService()).explain(query.agent) }),
      test: async ({ body }) => ({ test: await (await loadSandboxService()).test(body.agent) }),
    },
    check,
  );
}
