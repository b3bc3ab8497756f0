import type { FastifyInstance } from 'fastify';
import { devicesRoutes } from '../../contract/devices.ts';
import type { App } from '../../core/app.ts';
import { clientOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerDevices(
  server: FastifyInstance,
  app: Pick<App, 'identity' | 'attestations' | 'devices'>,
  check?: ResponseCheck,
): void {
  const { devices, attestations, identity } = app;
  implement(
    server,
    devicesRoutes,
    {
      list: async ({ query }, { caller }) => pageOf('devices', await devices.list(caller), query),
      update: async ({ params, body }, { caller }) => ({
        device: await devices.rename(caller, params.id, body.name),
      }),
      revoke: async ({ params }, { caller, request }) => {
        await devices.revoke(caller, params.id, clientOf(request));
        return { message: 'Device revoked. Its sessions have ended.' };
      },
      getIdentity: () => identity,
      attest: async ({ body }, { caller }) => ({ attestation: await attestations.attest(caller, body.data) }),
      verify: ({ body }) => attestations.verify(body),
    },
    check,
  );
}
