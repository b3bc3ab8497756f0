import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { finishReasonSchema } from './chat.ts';
import { providerNameSchema } from './providers.ts';
import { refusedCallsSchema } from './refused-calls.ts';

export const effortSchema = z.enum(['low', 'medium', 'high', 'max']);
export type Effort = z.output<typeof effortSchema>;

/** `update` carries the next part, `end` the whole text. */
const thought = { step: z.int(), text: z.string() };
const shapes = {
  user_message: z.object({
    id: z.string(),
    content: z.string(),
    compactionApplied: z.boolean(),
    messageCount: z.int(),
    taskId: z.string().optional(),
  }),
  'session:start': z.object({
    sessionId: z.string(),
    taskId: z.string().optional(),
    conversationId: z.string().optional(),
    provider: providerNameSchema,
    model: z.string(),
    effort: effortSchema.optional(),
    maxSteps: z.int(),
    maxBudget: z.int().nullable(),
    timeoutMs: z.int().nullable(),
    instructionFiles: z
      .array(z.string())
      .optional()
      .meta({ description: 'The files of the project with instructions that it follows, such as AGENTS.md' }),
  }),
  'agent:start': z.object({
    agent: z.string(),
    version: z.string().optional(),
    model: z.string().optional().meta({ description: 'Absent where the agent chooses its own' }),
    cwd: z.string(),
    sessionId: z.string().optional().meta({ description: 'The session that it continues' }),
  }),
  note: z
    .object({ message: z.string() })
    .meta({ description: 'What people should know of an agent and its sandbox' }),
  'thinking:start': z.object(thought),
  'thinking:update': z.object(thought),
  'thinking:end': z.object(thought),
  'step:start': z.object({
    step: z.int(),
    maxSteps: z.int(),
    usedTokens: z.int(),
    maxBudget: z.int().nullable(),
  }),
  'text:delta': z.object({ step: z.int(), delta: z.string() }),
  'tool:call': z.object({ toolCallId: z.string(), name: z.string(), arguments: z.json() }),
  'tool:result': z.object({
    toolCallId: z.string(),
    result: z.object({
      success: z.boolean(),
      content: z.string(),
      refused: z
        .boolean()
        .optional()
        .meta({ description: 'true if the call would have changed something and was not allowed to run' }),
    }),
    diff: z
      .array(
        z.object({
          path: z.string(),
          oldText: z.string().optional(),
          newText: z.string().optional(),
          diff: z.string().optional(),
        }),
      )
      .optional()
      .meta({ description: 'The changes that the agent reports: texts, or its own diff' }),
  }),
  plan: z.object({
    entries: z.array(
      z.object({
        text: z.string(),
        status: z.string().meta({ description: 'Such as `pending`, `in_progress` and `completed`' }),
      }),
    ),
  }),
  usage: z.object({
    input: z.int().optional(),
    output: z.int().optional(),
    cached: z.int().optional(),
    costUsd: z.number().optional().meta({ description: "By the agent's own price list" }),
  }),
  'approval:requested': z.object({ toolCallId: z.string(), approval: approvalSchema }),
  'approval:decided': z.object({ toolCallId: z.string(), approval: approvalSchema }),
  'step:complete': z.object({
    step: z.int(),
    usedTokens: z.int(),
    toolCalls: z.int(),
    finishReason: finishReasonSchema,
  }),
  compaction: z.object({ tokensBefore: z.int(), tokensAfter: z.int() }),
  summary: z.object({ summary: z.string(), refusedCalls: refusedCallsSchema.optional() }),
  complete: z.object({
    totalTokens: z.int().optional().meta({ description: 'Absent if the vendor does not report it' }),
    inputTokens: z.int().optional(),
    outputTokens: z.int().optional(),
    model: z.string(),
    provider: providerNameSchema,
    toolCalls: z.int(),
    refusedCalls: refusedCallsSchema.optional(),
    finishReason: finishReasonSchema
      .optional()
      .meta({ description: 'Set if a limit ended the turn: `max_round_trips`' }),
    maxRoundTrips: z.int().optional().meta({ description: 'The limit that ended the turn' }),
  }),
  message_saved: z.object({ id: z.string() }),
  error: z.object({ message: z.string(), code: z.string() }),
};
type Shapes = typeof shapes;
export type RunEventType = keyof Shapes;

const frame = <T extends RunEventType>(type: T) =>
  z.object({
    type: z.literal(type),
    data: shapes[type],
    timestamp: z.number(),
    runId: z.string().optional().meta({ description: 'In the stream of a conversation: the turn' }),
  });

/** What happens during a turn with tools, in order; `timestamp` is in epoch milliseconds. */
export const runEventSchema = z
  .discriminatedUnion('type', [
    frame('user_message'),
    frame('session:start'),
    frame('agent:start'),
    frame('note'),
    frame('thinking:start'),
    frame('thinking:update'),
    frame('thinking:end'),
    frame('step:start'),
    frame('text:delta'),
    frame('tool:call'),
    frame('tool:result'),
    frame('plan'),
    frame('usage'),
    frame('approval:requested'),
    frame('approval:decided'),
    frame('step:complete'),
    frame('compaction'),
    frame('summary'),
    frame('complete'),
    frame('message_saved'),
    frame('error'),
  ])
  .meta({ id: 'RunEvent' });
export type RunEvent = z.output<typeof runEventSchema>;
/** An event without its timestamp. */
export type RunEventInput = { [T in RunEventType]: { type: T; data: z.output<Shapes[T]> } }[RunEventType];

/** The most time that an agentic turn has, from its message to its last event, in milliseconds. */
export const AGENTIC_MS: number = 3 * 60_000;

/** A message that starts an agentic turn, with its limits. */
export const sendAgenticMessageSchema = z.object({
  content: z.string().trim().min(1).max(200_000),
  model: z.string().min(1).max(200).optional(),
  provider: providerNameSchema.optional(),
  temperature: z.number().min(0).max(2).optional(),
  showThinking: z.boolean().default(true),
  maxSteps: z.int().min(1).max(200).optional(),
  maxBudget: z.int().min(1000).max(100_000_000).optional().meta({ description: 'Token budget of all steps' }),
  effort: effortSchema.default('medium'),
});
export type SendAgenticMessage = z.output<typeof sendAgenticMessageSchema>;
