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
      startCodehost: async ({ query }, context) =>
        new Redirect((await flow.start('codehost', query, context)).url),
      completeCodehost: async ({ query }, context) =>
        new Redirect((await flow.signIn(query, undefined, context)).returnTo),
      createCodehostUrl: ({ query }, context) => flow.start('codehost', query, context),
      exchangeCodehostCode: async ({ body: { codeVerifier, ...callback } }, context) => {
        const { user } = await flow.signIn(callback, codeVerifier, context);
        return { user, message: 'Signed in' };
      },
      startTrackerA: async ({ query }, context) =>
        new Redirect((await flow.start('tracker_a', query, context)).url),
      completeTrackerA: async ({ query }, context) =>
        new Redirect(await flow.connect('tracker_a', query, context)),
      startTrackerB: async ({ query }, context) =>
        new Redirect((await flow.start('tracker_b', query, context)).url),
      completeTrackerB: async ({ query }, context) =>
        new Redirect(await flow.connect('tracker_b', query, context)),
    },
    check,
  );
}
