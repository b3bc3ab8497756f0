import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { gatewayRoutes } from '../../contract/gateway.ts';
import type { App } from '../../core/app.ts';
import { baseUrlOf } from '../base-url.ts';
import { signalOf } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';
import { stoppingSignal } from '../stopping.ts';

export function registerGateway(
  server: FastifyInstance,
  app: Pick<App, 'gateway' | 'gatewayWaits' | 'config'>,
  check?: ResponseCheck,
): void {
  const { gateway, gatewayWaits } = app;
  stoppingSignal(server).addEventListener('abort', () => void gatewayWaits.stop());
  // Requests that wait for a task are answered before the connections close.
  server.addHook('preClose', async () => {
    await gatewayWaits.stop();
    await yieldToEventLoop();
  });
  implement(
    server,
    gatewayRoutes,
    {
      submit: async ({ body, headers }, { caller, request, reply }) => {
        const submitted = await gateway.submit(caller, body, {
          idempotencyKey: headers['idempotency-key'],
          baseUrl: baseUrlOf(app, request),
          signal: signalOf(reply),
        });
        if (submitted.isReplay) reply.header('idempotent-replay', 'true');
        if ('finished' in submitted) {
          reply.code(200);
          return submitted.finished;
        }
        if (submitted.isReplay) reply.code(200);
        return submitted.accepted;
      },
      getStatus: ({ params }, { caller }) => gateway.status(caller, params.requestId),
    },
    check,
  );
}
