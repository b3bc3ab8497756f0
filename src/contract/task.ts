import { z } from 'zod';
import { pullRequestSchema } from './changes.ts';
import { bestOfSchema, choiceSchema } from './best-of.ts';
import { memoryScopeSchema } from './memory.ts';
import { needsSchema, runDaemonSchema } from './placement.ts';
import { branchSchema, jsonObjectSchema, timestampSchema } from './primitives.ts';
import { providerNameSchema } from './providers.ts';
import { refusedCallsSchema } from './refused-calls.ts';
import { runProgressSchema } from './run-progress.ts';
import { taskEnvironmentSchema, umaskSchema } from './task-environment.ts';
import { securityModeSchema } from './security-mode.ts';
import { wireNames } from './vendors.ts';
import { repairSchema, verificationSchema, verifySchema } from './verification.ts';

/** The states of a task. */
export const taskStatusSchema = z.enum([
  'pending',
  'queued',
  'in_progress',
  'completed',
  'failed',
  'cancelled',
]);
export type TaskStatus = z.output<typeof taskStatusSchema>;

export const taskSourceSchema = z.enum([...Object.values(wireNames), 'api', 'cron']);

export const failureClassSchema = z.enum([
  'rate_limited',
  'quota',
  'auth',
  'network',
  'timeout',
  'agent_crash',
  'agent_error',
  'command_failed',
  'invalid_input',
  'policy_denied',
  'verify_failed',
  'invalid_output',
  'budget',
  'host_gone',
  'cancelled',
  'unknown',
]);
export type FailureClass = z.output<typeof failureClassSchema>;

export const usageSchema = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  totalTokens: z.int(),
});

/** What a run changed in its worktree. */
export const taskChangesSchema = z
  .object({
    base: z.string().meta({ description: 'The commit at which the worktree began' }),
    head: z.string().meta({ description: 'The commit that is checked out in it' }),
    branch: z.string(),
    files: z.int(),
    additions: z.int().meta({ description: 'Lines' }),
    deletions: z.int(),
    patch: z.string().meta({ description: 'Path of the patch, which `git apply` takes' }),
    pullRequest: pullRequestSchema.optional(),
  })
  .meta({ id: 'TaskChanges' });
export type TaskChanges = z.output<typeof taskChangesSchema>;

/** What came of a candidate of a task with `bestOf`. */
export const candidateSchema = z
  .object({
    taskId: z.string(),
    agent: z.string().optional(),
    status: taskStatusSchema,
    verification: z.enum(['passed', 'failed']).optional(),
    files: z.int().optional(),
    additions: z.int().optional().meta({ description: 'Lines' }),
    deletions: z.int().optional(),
    usage: usageSchema.optional(),
    cost: z.string().optional().meta({ description: 'USD as a decimal string' }),
    durationMs: z.int().optional(),
    isWinner: z.boolean(),
    reason: z.string().optional().meta({ description: 'Why it was chosen, or why it failed' }),
  })
  .meta({ id: 'Candidate' });
export type Candidate = z.output<typeof candidateSchema>;

export const taskResultSchema = z.object({
  success: z.boolean(),
  output: z.string(),
  artifacts: z.array(z.json()),
  usage: usageSchema.optional(),
  cost: z.string().optional().meta({ description: 'USD as a decimal string' }),
  duration: z.number().meta({ description: 'Milliseconds' }),
  model: z.string().optional().meta({ description: 'Model, if the agent reports one' }),
  verified: z.boolean().optional().meta({
    description:
      'Whether commands verified the work; absent if none ran: then `output` is only what the agent claims',
  }),
  verification: verificationSchema.optional().meta({ description: 'Absent if no command verified it' }),
  changes: taskChangesSchema
    .optional()
    .meta({ description: 'Absent if the task did not work in a worktree' }),
  refusedCalls: refusedCallsSchema.optional().meta({ description: 'Absent if no call was refused' }),
  candidates: z
    .array(candidateSchema)
    .optional()
    .meta({ description: 'Of a task with `bestOf`; `usage` and `cost` are those of all of them' }),
});
export type TaskResult = z.output<typeof taskResultSchema>;

/** What a list shows of a result, which may be as long as a file. */
export const taskOutcomeSchema = taskResultSchema
  .pick({ success: true, usage: true, cost: true, duration: true, model: true, verified: true })
  .extend({ changes: taskChangesSchema.omit({ patch: true }).optional() })
  .meta({ id: 'TaskOutcome' });
export type TaskOutcome = z.output<typeof taskOutcomeSchema>;

export const taskErrorSchema = z.object({ class: failureClassSchema, code: z.string(), message: z.string() });
export type TaskError = z.output<typeof taskErrorSchema>;

export const prioritySchema = z.int().min(1).max(4).meta({ description: '1 (critical) to 4 (low)' });

/** The time to compile a schema grows faster than its length. */
const MAX_SCHEMA_LENGTH = 16_384;

/** What the built-in agent works with, and how much of it. */
const modelFields = {
  model: z.string().trim().min(1).max(200).optional().meta({
    description:
      'A model of the provider, or `provider/model`; for the built-in agent, as the fields up to `maxCostUsd`',
  }),
  provider: providerNameSchema.optional(),
  maxSteps: z.int().min(1).max(200).optional(),
  maxBudget: z.int().min(1000).max(100_000_000).optional().meta({ description: 'Tokens of all steps' }),
  maxCostUsd: z
    .string()
    .max(20)
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'Expected an amount in USD such as 0.50')
    .refine((amount) => Number(amount) > 0, 'Expected more than 0')
    .optional()
    .meta({
      description:
        'USD as a decimal string; refused at the start of a run if the price of its model is unknown',
    }),
};
const maxTimeMs = z.int().min(100).max(86_400_000).optional().meta({
  description:
    'Milliseconds until a run of its agent is stopped, whatever the agent; at most `pool.timeoutMs`. A run that reached it is not repeated',
});
const outputSchema = jsonObjectSchema
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_LENGTH, 'Longer than 16 KiB')
  .optional()
  .meta({ description: 'JSON Schema (2020-12 or draft-07) that the answer has to fit, as JSON' });

/** The fields of a new task; unknown keys are dropped. */
export const createTaskSchema = z
  .object({
    title: z.string().trim().min(1).max(500),
    description: z.string().max(20_000).optional(),
    prompt: z.string().max(200_000).optional(),
    priority: prioritySchema.default(3),
    source: taskSourceSchema.default('api'),
    sourceId: z.string().max(500).optional(),
    sourceUrl: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional(),
    repository: z
      .string()
      .max(200)
      .regex(/^[\w.-]+\/[\w.-]+$/, 'Expected owner/repo')
      .optional(),
    branch: branchSchema.optional(),
    labels: z.array(z.string().min(1).max(100)).max(50).default([]),
    assignedAgent: z.string().min(1).max(100).optional(),
    needs: needsSchema.min(1).optional(),
    maxAttempts: z.int().min(1).max(20).optional(),
    retryOnFailure: z.boolean().optional().meta({
      description:
        'Whether a command that exits with an error is run again; without it, only if `maxAttempts` is given',
    }),
    attached: z.boolean().optional().meta({
      description:
        'The client follows the task to its end, so a failure creates no dead letter and no notification',
    }),
    cwd: z
      .string()
      .max(4096)
      .startsWith('/', 'Expected an absolute path')
      .optional()
      .meta({ description: 'Working directory; requires permission to run commands' }),
    env: taskEnvironmentSchema.optional().meta({
      description:
        'Environment variables of its command, by name; sealed at rest and never shown. Requires permission to run commands',
    }),
    umask: umaskSchema.optional().meta({
      description: 'The permission bits that files of its agent do not get, as a number (18 is 022)',
    }),
    worktree: z.boolean().optional().meta({
      description:
        'Whether it works in a Git worktree of its own on the branch `svc/<id>`, instead of in `cwd`; needs a `cwd` in a Git repository. Unless set, agents that edit code get one and others do not',
    }),
    memoryScope: memoryScopeSchema.optional().meta({
      description:
        'Whether it uses the memory of its project only, the repository or directory of `cwd`, or all of it; `memory.scope` unless set',
    }),
    securityMode: securityModeSchema.optional().meta({
      description:
        'When a tool call of the agent needs approval; only an administrator may choose a mode less strict than the policy',
    }),
    verify: verifySchema.optional().meta({
      description:
        'Commands that must succeed after the agent has answered; requires permission to run commands',
    }),
    repair: repairSchema.optional().meta({
      description: 'How often the built-in agent may repair what the verification found, 2 by default',
    }),
    ...modelFields,
    maxTimeMs,
    outputSchema,
    continues: z.string().min(1).max(100).optional().meta({
      description:
        'A finished task whose agent continues in the same session and folder; the agent and the directory are those of that task unless named',
    }),
    bestOf: bestOfSchema.optional().meta({
      description:
        'Several agents do the task, each in a worktree of its own, and the best result is taken; the limits hold for all of them together. Requires `cwd` and permission to run commands',
    }),
    metadata: jsonObjectSchema.optional(),
    idempotencyKey: z.string().min(1).max(255).optional(),
  })
  .meta({ id: 'CreateTask' });
export type CreateTask = z.output<typeof createTaskSchema>;

/** The fields of a task that are stored; `taskSchema` adds what its run reports. */
const storedTaskSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  prompt: z.string().optional(),
  status: taskStatusSchema,
  priority: prioritySchema,
  source: taskSourceSchema,
  sourceId: z.string().optional(),
  sourceUrl: z.string().optional(),
  repository: z.string().optional(),
  branch: z.string().optional(),
  labels: z.array(z.string()),
  assignedAgent: z.string().optional(),
  agentType: z.string().optional(),
  needs: needsSchema.optional(),
  home: z.string().optional().meta({
    description: 'The host whose directory it works in since its first run; its other runs stay there',
  }),
  daemon: runDaemonSchema
    .optional()
    .meta({ description: 'The daemon of its latest run; absent unless one of a cluster ran it' }),
  cwd: z.string().optional(),
  envNames: z.array(z.string()).optional().meta({
    description: 'The names of the environment variables that its command gets from its creator',
  }),
  umask: umaskSchema.optional(),
  worktree: z.boolean().optional(),
  memoryScope: memoryScopeSchema.optional(),
  securityMode: securityModeSchema.optional(),
  verify: verifySchema.optional(),
  repair: repairSchema.optional(),
  ...modelFields,
  maxTimeMs,
  outputSchema,
  attempts: z.int(),
  maxAttempts: z.int(),
  retryOnFailure: z.boolean().optional().meta({
    description: 'A command that exits with an error is run again, up to `maxAttempts`',
  }),
  attached: z
    .boolean()
    .optional()
    .meta({ description: 'Its client follows it to its end, so a failure creates no dead letter' }),
  held: z.boolean().optional().meta({ description: 'Imported and not released yet' }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  startedAt: timestampSchema.optional(),
  completedAt: timestampSchema.optional(),
  scheduledFor: timestampSchema.optional(),
  result: taskResultSchema.optional(),
  error: taskErrorSchema.optional(),
  retriedFrom: z.string().optional(),
  continues: z.string().optional().meta({ description: 'The task whose session it continues' }),
  bestOf: bestOfSchema.optional(),
  parentId: z
    .string()
    .optional()
    .meta({ description: 'The task of which it is a candidate; its failure creates no dead letter' }),
  choice: choiceSchema.optional().meta({ description: 'Which candidate was chosen, and why' }),
  idempotencyKey: z.string().optional(),
  metadata: jsonObjectSchema.optional(),
});
export type TaskField = keyof z.output<typeof storedTaskSchema>;

export const taskFields = Object.keys(storedTaskSchema.shape) as TaskField[];

const progress = {
  progress: runProgressSchema.optional().meta({ description: 'While an agent works on it' }),
};

export const taskSchema = storedTaskSchema.extend(progress).meta({ id: 'Task' });
export type Task = z.output<typeof taskSchema>;

/** A task in an export, with its trust, which no other request may state. */
export const exportedTaskSchema = storedTaskSchema
  .extend({
    trusted: z.boolean().optional().meta({
      description:
        'Whether its text is by people with rights. Absent where its source says so too: text of an issue tracker, and a task that a model created, is not',
    }),
  })
  .meta({ id: 'ExportedTask' });
export type ExportedTask = z.output<typeof exportedTaskSchema>;

/** The fields of a list without `fields` or `full`. */
export const sparseTaskFields = [
  'id',
  'title',
  'status',
  'priority',
  'source',
  'sourceUrl',
  'repository',
  'labels',
  'assignedAgent',
  'createdAt',
  'updatedAt',
] as const satisfies readonly TaskField[];

/** What a list can show of a task: its fields, how far its run is, and its result without the texts. */
export const listedFields = [...taskFields, 'progress', 'outcome'] as const;
export type ListedField = (typeof listedFields)[number];

/** A task in a list: `id` and the requested fields. */
export const listedTaskSchema = taskSchema
  .partial()
  .required({ id: true })
  .extend({
    outcome: taskOutcomeSchema.optional().meta({ description: 'The result without its texts' }),
  })
  .meta({ id: 'ListedTask' });
export type ListedTask = z.output<typeof listedTaskSchema>;

export const taskEventTypeSchema = z.enum([
  'created',
  'queued',
  'waiting_for_agent',
  'started',
  'progress',
  'output',
  'approval_requested',
  'approval_decided',
  'verification_started',
  'verification_finished',
  'retry_scheduled',
  'deferred',
  'completed',
  'failed',
  'cancelled',
  'dead_lettered',
  'requeued',
]);
export type TaskEventType = z.output<typeof taskEventTypeSchema>;

export const taskEventSchema = z
  .object({
    seq: z.int(),
    id: z.string(),
    type: taskEventTypeSchema,
    at: timestampSchema,
    message: z.string(),
    data: jsonObjectSchema,
  })
  .meta({ id: 'TaskEvent' });
export type TaskEvent = z.output<typeof taskEventSchema>;
