import { z } from 'zod';
import { addedAgentNameSchema, type PresetName, presetNames } from '../../contract/agents.ts';
import { taskEnvironmentSchema } from '../../contract/task-environment.ts';
import { define } from './define-setting.ts';
import { parseJsonText } from './parse-json-text.ts';

/** The names of agents that come with svc. */
const reserved: readonly string[] = ['builtin', 'command', 'http', 'best-of', ...presetNames];
/** Words that would be ambiguous in the address of an agent, or among settings. */
const ambiguous: readonly string[] = ['types', 'sessions', 'added', 'default', 'output'];

const programOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'program' in entry ? entry.program : undefined;

const count = (min: number, max: number) => z.int().min(min).max(max);

/** A program or an argument; the kernel takes no NUL in either. */
const argument = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/, 'Expected text without NUL');
const argumentList = z.array(argument).max(100);
const modelName = z.string().trim().min(1).max(200).optional();
const tokens = count(1000, 1_000_000_000).optional();

const addedAgent = z.strictObject({
  program: argument.min(1),
  args: argumentList.default([]),
  env: taskEnvironmentSchema.default({}),
  model: modelName,
  maxTokens: tokens,
});
const MAX_ADDED = 50;
const agentName = z.string().min(1).max(100);

/** A path that the sandbox of agents shows. */
const openedPath = z.strictObject({
  path: argument.regex(/^(?:\/|~\/|~$)/, 'Expected an absolute path, or one that begins with ~/'),
  write: z.boolean().default(false),
});

/** The settings of one coding agent. */
const settingsOf = <P extends PresetName>(preset: P) => {
  const own = {
    program: define({
      schema: () => argument.min(1).optional(),
      default: undefined,
      live: true,
      scope: 'daemon',
      description: `The program of the agent ${preset}; unless set, its usual one from the PATH of the daemon`,
    }),
    args: define({
      schema: () => z.preprocess(parseJsonText, argumentList),
      default: [],
      live: true,
      description: `Arguments for the program of the agent ${preset}, in front of those of svc, as a JSON list`,
    }),
    env: define({
      schema: () => z.preprocess(parseJsonText, taskEnvironmentSchema),
      default: {},
      live: true,
      secretParts: { names: 'entries' as const },
      description: `Environment variables of the agent ${preset}, as a JSON object by name`,
    }),
    model: define({
      schema: () => modelName,
      default: undefined,
      live: true,
      description: `The model of the agent ${preset}; its own choice unless set`,
    }),
    maxTokens: define({
      schema: () => tokens,
      default: undefined,
      live: true,
      description: `Maximum number of tokens of the agent ${preset} per task`,
    }),
    'versions.allow': define({
      schema: () => z.string().max(100).optional(),
      default: undefined,
      live: true,
      description: `A version of the agent ${preset} that is older than svc supports and may run all the same`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([field, definition]) => [`agents.${preset}.${field}`, definition]),
  ) as { [K in keyof Own as `agents.${P}.${K}`]: Own[K] };
};

type PresetSettings = { [P in PresetName]: ReturnType<typeof settingsOf<P>> }[PresetName];
type Union<T> = (T extends unknown ? (part: T) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** How agents run. */
export const agentSettings = {
  ...(Object.assign({}, ...presetNames.map((name) => settingsOf(name))) as Union<PresetSettings>),
  'agents.added': define({
    schema: () =>
      z.preprocess(
        parseJsonText,
        z
          .record(addedAgentNameSchema, addedAgent, {
            error: ({ code }) =>
              code === 'invalid_key'
                ? 'The name of an agent has lower-case letters, digits and hyphens, at most 40'
                : 'Expected a JSON object of agents by name',
          })
          .refine(
            (agents) => !Object.keys(agents).some((name) => [...reserved, ...ambiguous].includes(name)),
            `An added agent cannot have one of these names: ${[...reserved, ...ambiguous].join(', ')}`,
          )
          .refine((agents) => Object.keys(agents).length <= MAX_ADDED, `At most ${MAX_ADDED} agents`),
      ),
    default: {},
    live: true,
    secretParts: { names: ['env'], destination: (entry) => JSON.stringify(programOf(entry)) },
    description: 'Agents that speak the Agent Client Protocol, by name: { program, args, env, model }',
  }),
  'agents.sandbox': define({
    schema: () => z.enum(['on', 'off']),
    default: 'on',
    live: true,
    description:
      'Whether coding agents run in a sandbox where it works; without it, tasks in the modes sandbox and allowlist fail',
  }),
  'agents.sandboxPaths': define({
    schema: () => z.preprocess(parseJsonText, z.array(openedPath).max(50)),
    default: [],
    live: true,
    scope: 'daemon',
    description:
      'Files and directories of this machine that coding agents see in their sandbox, as a JSON list of { path, write }',
  }),
  'agents.default': define({
    schema: () => z.string().max(100).optional(),
    default: undefined,
    live: true,
    description: 'The default agent of tasks',
  }),
  'agents.command.env': define({
    schema: () => z.preprocess(parseJsonText, taskEnvironmentSchema),
    default: {},
    live: true,
    secretParts: { names: 'entries' },
    description: 'Environment variables of every command, as a JSON object by name',
  }),
  'agents.output.maxBytes': define({
    schema: () => count(1024, 1_099_511_627_776),
    default: 256 * 1024 * 1024,
    live: true,
    description: 'Maximum number of bytes that a command may print; it is stopped at the limit',
  }),
  'agents.tokensPerDay': define({
    schema: () => z.preprocess(parseJsonText, z.record(agentName, count(1000, 1_000_000_000_000))),
    default: {},
    live: true,
    description: 'How many tokens each agent may use on a day (UTC), as a JSON object by agent',
  }),
  'agents.costPerDay': define({
    schema: () => z.preprocess(parseJsonText, z.record(agentName, z.number().positive())),
    default: {},
    live: true,
    description: 'How many USD each agent may use on a day (UTC), as a JSON object by agent',
  }),
  'agents.maxDeferMs': define({
    schema: () => count(0, 7 * 86_400_000),
    default: 86_400_000,
    live: true,
    description:
      'How long a task waits for the reset of a usage limit of its agent, in milliseconds; a longer wait fails it',
  }),
  'agents.silenceMs': define({
    schema: () => count(1000, 86_400_000),
    default: 300_000,
    live: true,
    description:
      'Milliseconds without a sign of life after which a run of a coding agent is stopped and retried',
  }),
  'agents.http.url': define({
    schema: () => z.url({ protocol: /^https?$/ }).optional(),
    default: undefined,
    live: true,
    description: 'The URL that the http agent posts tasks to',
  }),
  'agents.judge.model': define({
    schema: () => z.string().trim().max(200).optional(),
    default: undefined,
    live: true,
    description:
      'The model that compares candidates with `--pick judge`, as provider/model; the default model unless set',
  }),
  'agents.builtin.model': define({
    schema: () => z.string().trim().max(200).optional(),
    default: undefined,
    live: true,
    description: 'The model of the built-in agent, as provider/model; the default model unless set',
  }),
  'agents.builtin.maxSteps': define({
    schema: () => count(1, 1000),
    default: 100,
    live: true,
    description: 'Maximum number of steps of the built-in agent per task',
  }),
  'agents.builtin.maxBudget': define({
    schema: () => count(1000, 1_000_000_000).optional(),
    default: undefined,
    live: true,
    description: 'Maximum number of tokens of the built-in agent per task',
  }),
};
