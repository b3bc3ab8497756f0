import type { FastifyInstance } from 'fastify';
import { type AgentTestStep, agentsRoutes } from '../../contract/agents.ts';
import type { App } from '../../core/app.ts';
import { isAdmin, visibleOwner } from '../../core/auth/caller.ts';
import { AppError } from '../../core/errors.ts';
import { signalOfReader, streamAnswer } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerAgents(
  server: FastifyInstance,
  app: Pick<
    App,
    'registry' | 'agentSessions' | 'testAgentProgram' | 'accessWatch' | 'membership' | 'openStreams'
  >,
  check?: ResponseCheck,
): void {
  const { registry, agentSessions, membership } = app;
  const find = async (type: string) => {
    const agent = await registry.find(type);
    if (agent) return agent;
    throw new AppError('not_found', `There is no agent "${type}"`);
  };
  implement(
    server,
    agentsRoutes,
    {
      list: async () => ({
        agents: await registry.list(),
        ...(membership && membership.others.length > 0 && { daemon: membership.name }),
      }),
      listTypes: () => ({
        types: registry.types(),
        needs: registry.needs(),
        chats: registry.types().filter((type) => registry.isProgram(type)),
      }),
      listSessions: async ({ query }, { caller }) => {
        const { found, total } = await agentSessions.listOpen({ ...query, ownerId: visibleOwner(caller) });
        return {
          sessions: found.map(({ cli_version: version, ...row }) => ({
            agent: row.agent,
            id: row.session_id,
            ...(version !== null && { version }),
            taskId: row.task_id,
            title: row.title,
            status: row.status,
            cwd: row.cwd,
            updatedAt: row.updated_at,
          })),
          total,
          limit: query.limit,
          offset: query.offset,
        };
      },
      get: async ({ params: { type } }, { caller }) => {
        const { args, envNames, ...agent } = await find(type);
        return {
          agent: {
            ...agent,
            // What an administrator has chosen may say more than others should know.
            ...(isAdmin(caller) && { ...(args && { args }), ...(envNames && { envNames }) }),
          },
        };
      },
      test: async ({ params: { type }, body: { model } }, { caller, request, reply }) => {
        const agent = await find(type);
        const steps = (signal: AbortSignal) =>
          app.testAgentProgram(type, { model, signal }) ?? healthStep(agent);
        if (request.headers.accept?.includes('text/event-stream'))
          return streamAnswer(app, caller, reply, async (signal) => steps(signal));
        const taken: AgentTestStep[] = [];
        for await (const step of steps(signalOfReader(app, caller, reply))) taken.push(step);
        return { agent: type, ok: taken.every(({ status }) => status !== 'failed'), steps: taken };
      },
    },
    check,
  );
}

/** The test of an agent that is no program of its own. */
async function* healthStep({
  healthy,
  message,
  latencyMs = 0,
}: {
  healthy: boolean;
  message?: string | undefined;
  latencyMs?: number | undefined;
}): AsyncGenerator<AgentTestStep> {
  yield {
    name: 'health',
    status: healthy ? 'ok' : 'failed',
    ...(message !== undefined && { message }),
    durationMs: latencyMs,
  };
}
