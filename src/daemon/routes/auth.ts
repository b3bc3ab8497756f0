import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authRoutes } from '../../contract/auth.ts';
import type { App } from '../../core/app.ts';
import { baseUrlOf } from '../base-url.ts';
import {
  clearSessionCookie,
  clientOf,
  type CallerServices,
  findCaller,
  isForwarded,
  signInClientOf,
  startSession,
} from '../credentials.ts';
import { implement } from '../implement.ts';
import { isOwnUser } from '../peer-user.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerAuth(
  server: FastifyInstance,
  app: CallerServices &
    Pick<
      App,
      'accounts' | 'knownClients' | 'signInLinks' | 'config' | 'isLoopback' | 'registration' | 'oauthFlow'
    >,
  check?: ResponseCheck,
): void {
  const { sessions, accounts, accessKey, signInLinks, config } = app;
  implement(
    server,
    authRoutes,
    {
      signup: async ({ body }, { request, reply }) => {
        const client = await signInClientOf(app, request);
        const context = { isTrustedClient: isTrustedClient(app, request), client };
        const { session, user } = await accounts.signUp(body, context);
        await startSession(app, request, reply, session);
        return { user, message: 'Account created. You are signed in.' };
      },
      login: async ({ body }, { request, reply }) => {
        const { session, user } = await accounts.signIn(
          body.email,
          body.password,
          await signInClientOf(app, request),
        );
        await startSession(app, request, reply, session);
        return { user: { id: user.id, email: user.email, name: user.name }, message: 'Signed in' };
      },
      logout: async (_, { caller, request, reply }) => {
        await sessions.end(caller, clientOf(request));
        clearSessionCookie(app, request, reply);
        return { message: 'Signed out' };
      },
      getMe: async (_, { request, reply }) => {
        const authMode = config.get('system.authMode');
        const caller = await findCaller(app, request);
        if (caller && !caller.token)
          return {
            authenticated: true as const,
            authMode,
            user: await accounts.user(caller),
            ...(caller.deviceId !== undefined && {
              device: { id: caller.deviceId, limited: caller.isLimited === true },
            }),
          };
        reply.code(401);
        return {
          authenticated: false as const,
          authMode,
          accessKeyRequired: accessKey.isRequired,
          githubSignIn: app.oauthFlow.isOffered('github'),
          signUp: await app.registration.requirement(isTrustedClient(app, request)),
        };
      },
      updateMe: async ({ body }, { caller }) => ({ user: await accounts.updateProfile(caller, body) }),
      updatePassword: async ({ body }, { caller, request }) => {
        await accounts.setPassword(caller, body, clientOf(request));
        return { message: 'Password changed. Your other sessions have ended.' };
      },
      verifyAccessKey: async ({ body }, { request, reply }) => {
        const client = await signInClientOf(app, request);
        await startSession(app, request, reply, await accessKey.verify(body.key, client));
        return { success: true, message: 'Signed in' };
      },
      updateAccessKey: async ({ body }, { caller, request }) => {
        await accessKey.set(body.key, clientOf(request), caller);
        return {
          message: body.key === null ? 'Access key removed' : 'Access key set',
        };
      },
      createSignInLink: async ({ body }, { caller, request }) => {
        const { token, expiresAt } = await signInLinks.create(caller, body);
        return { url: `${baseUrlOf(app, request)}/sign-in#${token}`, token, expiresAt };
      },
      redeemSignInLink: async ({ body }, { request, reply }) => {
        const { session, user, returnTo } = await signInLinks.redeem(body.token, clientOf(request));
        await startSession(app, request, reply, session);
        return { user, message: 'Signed in', ...(returnTo !== undefined && { returnTo }) };
      },
    },
    check,
  );
}

/** Whether the client runs as the daemon's user on its machine, without a proxy in between. */
export function isTrustedClient(app: Pick<App, 'isLoopback' | 'config'>, request: FastifyRequest): boolean {
  const isProxied = app.config.get('server.baseUrl') !== undefined || isForwarded(request);
  return app.isLoopback && !isProxied && isOwnUser(request.socket);
}
