import { z } from 'zod';
import { limitSchema, offsetSchema, pageFields, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** A right that the creator of an agent's work needs; `command`: to run commands, because it runs programs with the daemon's rights. */
const agentNeedSchema = z.enum(['command']);
export type AgentNeed = z.output<typeof agentNeedSchema>;

/** The coding agents that svc knows; people add others by a name of their own. */
export const presetNames = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type PresetName = (typeof presetNames)[number];

/** The name of an agent that an administrator added. */
export const addedAgentNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'Expected lower-case letters, digits and hyphens, at most 40');

/** Whether an agent can take tasks, and if not, why. */
export const agentStateSchema = z.enum([
  'ready',
  'needs_login',
  'too_old',
  'not_configured',
  'unhealthy',
  'not_installed',
]);
export type AgentState = z.output<typeof agentStateSchema>;

export const agentSchema = z
  .object({
    type: z.string(),
    name: z.string(),
    description: z.string(),
    capabilities: z.array(z.string()),
    needs: z.array(agentNeedSchema).optional().meta({
      description:
        "Rights that the creator of its work needs. `command`: it runs programs with the daemon's rights, so only administrators and tokens with the scope agents:command may use it",
    }),
    driver: z.string().optional().meta({
      description: 'How svc talks to it, such as `acp`; only for agents that are programs of their own',
    }),
    program: z.string().optional().meta({ description: 'Path of its program; absent if it was not found' }),
    version: z.string().optional(),
    login: z.enum(['found', 'not_found']).optional().meta({
      description: 'Whether its login is where it is usually kept. `not_found` does not keep it from running',
    }),
    state: agentStateSchema.optional().meta({
      description:
        'Whether it can take tasks. `needs_login` keeps tasks waiting only once the agent has refused its login',
    }),
    closedUntil: timestampSchema.optional().meta({
      description: 'When its usage limit is reset; until then its tasks wait',
    }),
    hint: z.string().optional().meta({ description: 'What to do next, such as how to log in' }),
    programSetting: z.string().optional().meta({
      description: 'The setting that names its program; absent where svc looks for the usual one',
    }),
    configured: z.boolean(),
    healthy: z.boolean(),
    isDefault: z.boolean(),
    latencyMs: z.number().optional(),
    message: z.string().optional(),
    lastActivity: timestampSchema.optional(),
    stats: z.object({
      completed: z.int(),
      failed: z.int(),
      avgDuration: z.number().meta({ description: 'Milliseconds' }),
    }),
    configSchema: z.record(z.string(), z.json()).optional(),
  })
  .meta({ id: 'Agent' });
export type Agent = z.output<typeof agentSchema>;

const agentDetailSchema = agentSchema
  .extend({
    install: z.string().optional().meta({ description: 'The command that installs its program' }),
    versions: z
      .object({ min: z.string(), tested: z.string(), allowed: z.string().optional() })
      .optional()
      .meta({ description: 'The oldest version that svc supports, and the newest one it was tested with' }),
    loginWith: z.string().optional().meta({ description: 'How to log in' }),
    model: z
      .string()
      .optional()
      .meta({ description: 'The model of its settings; its own choice unless set' }),
    maxTokens: z.int().optional().meta({ description: 'The maximum number of tokens per task' }),
    maxSteps: z.int().optional().meta({ description: 'The maximum number of steps per task' }),
    args: z
      .array(z.string())
      .optional()
      .meta({ description: 'Arguments of its program; for administrators' }),
    envNames: z.array(z.string()).optional().meta({
      description: 'The names of its environment variables; for administrators',
    }),
    settings: z.array(z.string()).meta({ description: 'The keys of its settings' }),
  })
  .meta({ id: 'AgentDetail' });
export type AgentDetail = z.output<typeof agentDetailSchema>;

/** What `POST /api/agents/:type/test` tries, in this order; an agent that is no program has `health` alone. */
export const agentTestSteps = [
  'health',
  'version',
  'start',
  'turn',
  'denied_call',
  'cancel',
  'stop',
] as const;

const agentTestStepSchema = z
  .object({
    name: z.enum(agentTestSteps),
    status: z.enum(['ok', 'failed', 'not_asked', 'skipped']).meta({
      description:
        '`not_asked`: the agent answered without asking for the command; `skipped`: an earlier step failed',
    }),
    message: z.string().optional(),
    durationMs: z.number(),
  })
  .meta({ id: 'AgentTestStep' });
export type AgentTestStep = z.output<typeof agentTestStepSchema>;

const agentSessionSchema = z
  .object({
    agent: z.string(),
    id: z.string().meta({ description: 'As the agent names it' }),
    version: z.string().optional().meta({ description: 'The version of the agent' }),
    taskId: z.string().meta({ description: 'The finished task to continue it from' }),
    title: z.string(),
    status: z.string(),
    cwd: z.string().meta({ description: 'The directory of the session' }),
    updatedAt: timestampSchema,
  })
  .meta({ id: 'AgentSession' });
export type AgentSessionInfo = z.output<typeof agentSessionSchema>;

const agentParamsSchema = z.object({ type: z.string().min(1).max(100) });

export const agentsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/agents',
    access: 'session',
    summary: 'List agents and check their health',
    response: z.object({
      agents: z.array(agentSchema),
      daemon: z.string().optional().meta({
        description:
          'The name of the daemon that was asked, where others of its cluster may have other agents',
      }),
    }),
  },
  listTypes: {
    method: 'GET',
    path: '/api/agents/types',
    access: 'session',
    summary: 'List agent types',
    response: z.object({
      types: z.array(z.string()),
      needs: z
        .record(z.string(), z.array(agentNeedSchema))
        .optional()
        .meta({ description: 'Types that need something, and what' }),
      chats: z
        .array(z.string())
        .optional()
        .meta({ description: 'Types that answer in conversations, in a session of their own' }),
    }),
  },
  listSessions: {
    method: 'GET',
    path: '/api/agents/sessions',
    access: 'session',
    scopes: ['tasks:read', 'tasks:write'],
    summary: 'List the sessions of agents that a new task can continue, newest first',
    query: z.object({
      agent: z.string().max(100).optional(),
      limit: limitSchema(50),
      offset: offsetSchema.default(0),
    }),
    response: z.object({
      sessions: z
        .array(agentSessionSchema)
        .meta({ description: 'Without those whose directory is gone, which the total includes' }),
      ...pageFields,
    }),
  },
  get: {
    method: 'GET',
    path: '/api/agents/:type',
    access: 'session',
    summary: 'Get an agent with its settings, and check its health',
    params: agentParamsSchema,
    response: z.object({ agent: agentDetailSchema }),
  },
  test: {
    method: 'POST',
    path: '/api/agents/:type/test',
    access: 'admin',
    summary: 'Test an agent in a short session in which nothing is allowed to run',
    params: agentParamsSchema,
    body: z.object({ model: z.string().trim().min(1).max(200).optional() }).default({}),
    response: z.object({ agent: z.string(), ok: z.boolean(), steps: z.array(agentTestStepSchema) }),
    events: agentTestStepSchema,
  },
});
