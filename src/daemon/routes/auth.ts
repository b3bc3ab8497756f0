import type { FastifyInstance } from 'fastify';
import { authRoutes } from '../../contract/auth.ts';
import type { App } from '../../core/app.ts';
import { clearSessionCookie, findCaller, setSessionCookie } from '../access.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerAuth(server: FastifyInstance, app: App, check?: ResponseCheck): void {
  const { sessions, accessKey, config } = app;
  implement(
    server,
    authRoutes,
    {
      me: async (_, { request, reply }) => {
        const authMode = config.get('system.authMode');
        const caller = await findCaller(app, request);
        if (caller) return { authenticated: true as const, authMode, user: await sessions.user(caller) };
        reply.code(401);
        return { authenticated: false as const, authMode, accessKeyRequired: accessKey.isRequired };
      },
      logout: async (_, { caller, reply }) => {
        await sessions.end(caller);
        clearSessionCookie(app, reply);
        return { message: 'Signed out' };
      },
      verifyAccessKey: async ({ body }, { reply }) => {
        setSessionCookie(app, reply, await accessKey.verify(body.key));
        return { success: true, message: 'Signed in' };
      },
      setAccessKey: async ({ body }) => {
        await accessKey.set(body.key);
        return {
          message: body.key === null ? 'No access key is required any more' : 'The access key is set',
        };
      },
    },
    check,
  );
}
