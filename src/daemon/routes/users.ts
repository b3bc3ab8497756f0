import type { FastifyInstance } from 'fastify';
import { usersRoutes } from '../../contract/users.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerUsers(
  server: FastifyInstance,
  { userAdmin }: Pick<App, 'userAdmin'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    usersRoutes,
    {
      list: async ({ query }) => pageOf('users', await userAdmin.list(), query),
      update: async ({ params, body }, { caller }) => ({
        user: await userAdmin.update(caller, params.id, body),
      }),
    },
    check,
  );
}
