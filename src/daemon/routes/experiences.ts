import type { FastifyInstance } from 'fastify';
import { experiencesRoutes } from '../../contract/experiences.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerExperiences(
  server: FastifyInstance,
  { experiences }: Pick<App, 'experiences'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    experiencesRoutes,
    {
      create: async ({ body }, { caller }) => ({ experience: await experiences.record(caller, body) }),
      search: ({ query }, { caller }) => experiences.search(caller, query),
      list: ({ query }, { caller }) => experiences.list(caller, query),
      get: async ({ params }, { caller }) => ({ experience: await experiences.get(caller, params.id) }),
      use: async ({ params }, { caller }) => ({ experience: await experiences.use(caller, params.id) }),
      delete: async ({ params }, { caller }) => {
        await experiences.remove(caller, params.id);
        return { message: 'Experience deleted' };
      },
      decay: ({ body }, { caller }) => experiences.decay(caller, body.halfLifeDays),
      prune: ({ body }, { caller }) => experiences.prune(caller, body.minWeight),
    },
    check,
  );
}
