import type { FastifyInstance } from 'fastify';
import { oauthRoutes } from '../../contract/oauth.ts';
import { BrowserFlow, type BrowserFlowServices } from '../browser-flow.ts';
import { implement, Redirect } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerOAuth(
  server: FastifyInstance,
  app: BrowserFlowServices,
  check?: ResponseCheck,
): void {
  const flow = new BrowserFlow(app);
  implement(
    server,
    oauthRoutes,
    {
      startGithub: async ({ query }, context) =>
        new Redirect((await flow.start('github', query, context)).url),
      completeGithub: async ({ query }, context) =>
        new Redirect((await flow.signIn(query, undefined, context)).returnTo),
      createGithubUrl: ({ query }, context) => flow.start('github', query, context),
      exchangeGithubCode: async ({ body: { codeVerifier, ...callback } }, context) => {
        const { user } = await flow.signIn(callback, codeVerifier, context);
        return { user, message: 'Signed in' };
      },
      startJira: async ({ query }, context) => new Redirect((await flow.start('jira', query, context)).url),
      completeJira: async ({ query }, context) => new Redirect(await flow.connect('jira', query, context)),
      startLinear: async ({ query }, context) =>
        new Redirect((await flow.start('linear', query, context)).url),
      completeLinear: async ({ query }, context) =>
        new Redirect(await flow.connect('linear', query, context)),
    },
    check,
  );
}
