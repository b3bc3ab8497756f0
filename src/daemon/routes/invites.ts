import type { FastifyInstance } from 'fastify';
import { invitesRoutes } from '../../contract/invites.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerInvites(
  server: FastifyInstance,
  { invites }: Pick<App, 'invites'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    invitesRoutes,
    {
      list: async ({ query }) => pageOf('invites', await invites.list(), query),
      create: ({ body }, { caller }) => invites.create(caller, body),
      delete: async ({ params }, { caller }) => {
        await invites.remove(caller, params.id);
        return { message: 'Invite revoked' };
      },
    },
    check,
  );
}
