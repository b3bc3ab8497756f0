import type { FastifyInstance } from 'fastify';
import { oauthRoutes } from '../../contract/oauth.ts';
import { BrowserFlow, type BrowserFlowServices } from '../browser-flow.ts';
import { redirectPerson } from '../browser-problem.ts';
import { implement } from '../implement.ts';
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
      startGithub: ({ query }, context) =>
        redirectPerson(app, context, async () => (await flow.start('github', query, context)).url),
      completeGithub: ({ query }, context) =>
        redirectPerson(app, context, async () => (await flow.signIn(query, undefined, context)).returnTo),
      createGithubUrl: ({ query }, context) => flow.start('github', query, context),
      exchangeGithubCode: async ({ body: { codeVerifier, ...callback } }, context) => {
        const { user } = await flow.signIn(callback, codeVerifier, context);
        return { user, message: 'Signed in' };
      },
      startJira: ({ query }, context) =>
        redirectPerson(app, context, async () => (await flow.start('jira', query, context)).url),
      completeJira: ({ query }, context) =>
        redirectPerson(app, context, () => flow.connect('jira', query, context)),
      startLinear: ({ query }, context) =>
        redirectPerson(app, context, async () => (await flow.start('linear', query, context)).url),
      completeLinear: ({ query }, context) =>
        redirectPerson(app, context, () => flow.connect('linear', query, context)),
    },
    check,
  );
}
