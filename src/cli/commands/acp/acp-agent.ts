import * as acp from '@agentclientprotocol/sdk';
import type { AcpDeps } from './acp-deps.ts';
import { requestErrorOf } from './request-error.ts';
import { AcpSessions } from './acp-sessions.ts';
import { modeState } from './session-modes.ts';

/** The agent that an editor talks to: every session is a conversation of the daemon. `close` ends what still runs. */
export function createAcpAgent(deps: AcpDeps): { app: acp.AgentApp; close: () => Promise<void> } {
  const sessions = new AcpSessions(deps);
  const { agent } = acp.methods;
  /** Every failure becomes an error of the protocol, in words for a person. */
  const guarded =
    <Context extends { params: unknown }, T>(run: (context: Context) => Promise<T>) =>
    async (context: Context): Promise<T> => {
      try {
        return await run(context);
      } catch (error) {
        throw requestErrorOf(error, deps.formatError);
      }
    };
  const app = acp
    .agent({ name: 'svc' })
    .onRequest(agent.initialize, ({ params }) => {
      sessions.takeClient(params.clientCapabilities);
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentInfo: { name: 'svc', title: 'svc', version: deps.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true, image: false, audio: false },
          mcpCapabilities: { http: false, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: deps.connection.credential ? [] : [signIn],
      };
    })
    .onRequest(
      agent.authenticate,
      guarded(async ({ params }) => {
        if (params.methodId !== signIn.id)
          throw new acp.RequestError(-32602, `There is no way to sign in named "${params.methodId}"`);
        await deps.connection.client.conversations.list({ query: { limit: 1, mine: true } });
        return {};
      }),
    )
    .onRequest(
      agent.session.new,
      guarded(async ({ params, client }) => {
        const session = await sessions.create(params, client);
        return { sessionId: session.id, modes: modeState(session.mode) };
      }),
    )
    .onRequest(
      agent.session.load,
      guarded(async ({ params, client }) => {
        const session = await sessions.open(params, client, { isReplayed: true });
        return { modes: modeState(session.mode) };
      }),
    )
    .onRequest(
      agent.session.resume,
      guarded(async ({ params, client }) => {
        const session = await sessions.open(params, client, { isReplayed: false });
        return { modes: modeState(session.mode) };
      }),
    )
    .onRequest(
      agent.session.list,
      guarded(({ params }) => sessions.list(params)),
    )
    .onRequest(
      agent.session.delete,
      guarded(({ params }) => sessions.delete(params.sessionId)),
    )
    .onRequest(
      agent.session.close,
      guarded(({ params }) => sessions.close(params.sessionId)),
    )
    .onRequest(
      agent.session.setMode,
      guarded(async ({ params }) => {
        sessions.find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(
      agent.session.prompt,
      guarded(({ params, signal }) => sessions.find(params.sessionId).prompt(params.prompt, signal)),
    )
    .onNotification(agent.session.cancel, ({ params }) => sessions.cancel(params.sessionId));
  return { app, close: () => sessions.closeAll() };
}

const signIn = {
  id: 'svc-auth-login',
  name: 'Sign in to svc',
  description: 'Run `svc auth login` in a terminal, then try again',
};
