import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { changesSchema, undoReportSchema, undoSchema } from './changes.ts';
import { chatRoleSchema, finishReasonSchema, presetIdSchema, tokenUsageSchema } from './chat.ts';
import {
  idParamsSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  pageFields,
  timestampSchema,
} from './primitives.ts';
import { providerNameSchema } from './providers.ts';
import { defineRoutes } from './route.ts';
import { sendAgenticMessageSchema, runEventSchema } from './run-events.ts';
import { refusedCallsSchema } from './refused-calls.ts';
import { securityModeSchema } from './security-mode.ts';

/** What the answers of a conversation used. Absent figures are unknown, never 0. */
export const conversationUsageSchema = tokenUsageSchema
  .extend({
    isPartial: z
      .literal(true)
      .optional()
      .meta({ description: 'The vendor did not count some answers, which the sums leave out' }),
    costUsd: z.number().optional().meta({
      description:
        'What the provider reports, else by list prices or `models.prices`; absent if no part is known',
    }),
    isCostPartial: z
      .literal(true)
      .optional()
      .meta({ description: 'The cost of some answers is unknown, which `costUsd` leaves out' }),
    context: z
      .object({
        promptTokens: z.int().meta({
          description: 'Tokens of the last request; after a compaction, an estimate of what is left',
        }),
        window: z.int().optional().meta({ description: 'Context window of its model' }),
        share: z.number().optional().meta({ description: 'Share of the window, from 0 to 1' }),
      })
      .optional(),
  })
  .meta({ id: 'ConversationUsage' });
export type ConversationUsage = z.output<typeof conversationUsageSchema>;

export const conversationSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    presetId: presetIdSchema,
    taskId: z.string().optional(),
    cwd: z
      .string()
      .optional()
      .meta({ description: 'Working directory of its tools, if not its own workspace' }),
    agent: z
      .string()
      .optional()
      .meta({ description: 'The agent that answers, in a session of its own; absent: a model answers' }),
    messageCount: z.int(),
    usage: conversationUsageSchema.optional().meta({ description: 'Only when a single one is fetched' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.output<typeof conversationSchema>;

export const toolCallSchema = z
  .object({
    name: z.string(),
    arguments: z.json(),
    result: z.string(),
    status: z.enum(['success', 'error']),
  })
  .meta({ id: 'ToolCall' });
export type ToolCall = z.output<typeof toolCallSchema>;

/** How far an answer got: `waiting` for an approval, `interrupted` from outside, or `failed`. */
export const messageStatusSchema = z.enum(['completed', 'waiting', 'interrupted', 'failed']);
export type MessageStatus = z.output<typeof messageStatusSchema>;

/** Why an answer is not complete. */
export const messageErrorSchema = z.object({ code: z.string(), message: z.string() });
export type MessageError = z.output<typeof messageErrorSchema>;

export const conversationMessageSchema = z
  .object({
    id: z.string(),
    conversationId: z.string(),
    role: chatRoleSchema,
    content: z.string(),
    provider: providerNameSchema.optional(),
    model: z.string().optional(),
    usage: tokenUsageSchema.optional(),
    costUsd: z.number().optional().meta({ description: 'Absent if it is unknown' }),
    toolCalls: z.array(toolCallSchema).optional(),
    status: messageStatusSchema
      .optional()
      .meta({ description: 'Of an answer; the text of one that is not completed is what there was by then' }),
    error: messageErrorSchema.optional().meta({ description: 'Why the answer was interrupted or failed' }),
    finishReason: finishReasonSchema.optional(),
    createdAt: timestampSchema,
  })
  .meta({ id: 'ConversationMessage' });
export type ConversationMessage = z.output<typeof conversationMessageSchema>;

/** What was summarized, in estimated tokens; the messages themselves are kept. */
export const compactionSchema = z
  .object({
    originalCount: z.int(),
    compactedCount: z.int(),
    tokensBefore: z.int(),
    tokensAfter: z.int(),
  })
  .meta({ id: 'Compaction' });
export type Compaction = z.output<typeof compactionSchema>;

/** What to keep of a conversation that is summed up, and the model that does it. */
export const compactConversationSchema = z.object({
  keep: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'What the summary has to keep, in your words' }),
  model: z.string().min(1).max(200).optional(),
  provider: providerNameSchema.optional(),
});
export type CompactConversation = z.output<typeof compactConversationSchema>;

/** Title of a conversation before its first message. */
export const untitled = 'New conversation';

export const createConversationSchema = z.object({
  title: z.string().trim().min(1).max(200).default(untitled),
  presetId: presetIdSchema.default('assistant'),
  taskId: z.string().min(1).max(200).optional(),
  cwd: z
    .string()
    .max(4096)
    .startsWith('/', 'Expected an absolute path')
    .optional()
    .meta({ description: 'Working directory of its tools; requires permission to run commands' }),
  agent: z.string().min(1).max(40).optional().meta({
    description:
      'The agent that answers, such as `claude`; requires permission to run commands. Its messages are sent with tools',
  }),
});
export type CreateConversation = z.output<typeof createConversationSchema>;

export const sendMessageSchema = z.object({
  content: z.string().trim().min(1).max(1_000_000),
  model: z.string().min(1).max(200).optional(),
  provider: providerNameSchema.optional(),
});
export type SendMessage = z.output<typeof sendMessageSchema>;

/** The most round trips with tool calls that a message may ask for. */
export const MAX_ROUND_TRIPS = 200;

export const sendWithToolsSchema = sendMessageSchema.extend({
  enableTools: z.boolean().default(true),
  securityMode: securityModeSchema
    .optional()
    .meta({ description: 'Only an administrator may choose a mode less strict than the policy' }),
  maxRoundTrips: z
    .int()
    .min(1)
    .max(MAX_ROUND_TRIPS)
    .default(5)
    .meta({ description: 'Round trips with tool calls until the model has to answer' }),
  detached: z
    .boolean()
    .default(false)
    .meta({ description: 'Streams only: the turn continues when the client disconnects' }),
});
export type SendWithTools = z.output<typeof sendWithToolsSchema>;

const exchangeSchema = z.object({
  userMessage: conversationMessageSchema,
  assistantMessage: conversationMessageSchema,
  usage: tokenUsageSchema,
  compaction: compactionSchema.optional(),
});

export const toolExchangeSchema = exchangeSchema
  .extend({
    toolCalls: z.array(toolCallSchema),
    pendingApprovals: z.array(approvalSchema).meta({
      description: 'The turn resumes when they are decided; read its answer in the conversation',
    }),
    securityMode: securityModeSchema.meta({ description: 'Effective security mode' }),
    finishReason: finishReasonSchema.optional(),
    refusedCalls: refusedCallsSchema.optional(),
  })
  .meta({ id: 'ToolExchange' });
export type ToolExchange = z.output<typeof toolExchangeSchema>;

/** The turn of a conversation that is not finished. */
export const currentRunSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['message', 'agentic']),
    status: z.enum(['queued', 'running', 'waiting']).meta({ description: '`waiting` for an approval' }),
    taskId: z.string().optional(),
    startedAt: timestampSchema,
  })
  .meta({ id: 'CurrentRun' });
export type CurrentRun = z.output<typeof currentRunSchema>;

export const conversationsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/chat/conversations',
    access: 'session',
    summary: 'List your conversations, most recently used first',
    query: z.object({
      limit: limitSchema(20),
      offset: offsetSchema.default(0),
      taskId: z.string().max(200).optional(),
      cwd: z
        .string()
        .max(4096)
        .optional()
        .meta({ description: 'Only those whose tools work in this directory' }),
      mine: z
        .stringbool()
        .optional()
        .meta({ description: 'Only your own; an administrator otherwise gets those of all users' }),
    }),
    response: z.object({
      conversations: z.array(conversationSchema),
      ...pageFields,
    }),
  },
  create: {
    method: 'POST',
    path: '/api/chat/conversations',
    access: 'session',
    summary: 'Create a conversation',
    errors: [404],
    body: createConversationSchema,
    status: 201,
    response: z.object({ conversation: conversationSchema }),
  },
  get: {
    method: 'GET',
    path: '/api/chat/conversations/:id',
    access: 'session',
    summary: 'Get a conversation with its messages',
    params: idParamsSchema,
    response: z.object({
      conversation: conversationSchema,
      messages: z.array(conversationMessageSchema),
      pendingApprovals: z.array(approvalSchema),
      currentRun: currentRunSchema.optional().meta({ description: 'The turn that is not finished' }),
    }),
  },
  followEvents: {
    method: 'GET',
    path: '/api/chat/conversations/:id/events',
    access: 'session',
    summary: 'Stream the events of the current turn and of all later ones',
    params: idParamsSchema,
    headers: z.object({ 'last-event-id': z.string().max(200).optional() }),
    response: z.never(),
    events: runEventSchema,
  },
  stopTurn: {
    method: 'POST',
    path: '/api/chat/conversations/:id/stop',
    access: 'session',
    summary: 'Stop the current turn; its answer is kept as far as it got',
    params: idParamsSchema,
    response: messageSchema,
  },
  compact: {
    method: 'POST',
    path: '/api/chat/conversations/:id/compact',
    access: 'session',
    summary: 'Summarize the conversation so far for the model; its messages are kept',
    errors: [503],
    params: idParamsSchema,
    body: compactConversationSchema,
    response: z.object({
      summary: z.string(),
      compaction: compactionSchema,
      runId: z.string().meta({ description: 'Of its event in the stream of the conversation' }),
    }),
  },
  getChanges: {
    method: 'GET',
    path: '/api/chat/conversations/:id/changes',
    access: 'session',
    summary: 'Get the files that the last turn or all turns changed, with their patches',
    params: idParamsSchema,
    query: z.object({
      turn: z
        .enum(['last', 'all'])
        .default('last')
        .meta({ description: '`last`: the last turn that changed files and was not undone' }),
    }),
    response: changesSchema,
  },
  undo: {
    method: 'POST',
    path: '/api/chat/conversations/:id/undo',
    access: 'session',
    summary: 'Restore the files that the last turn changed, unless it was undone before',
    params: idParamsSchema,
    body: undoSchema,
    response: undoReportSchema,
  },
  delete: {
    method: 'DELETE',
    path: '/api/chat/conversations/:id',
    access: 'session',
    summary: 'Delete a conversation and all its messages',
    params: idParamsSchema,
    response: messageSchema,
  },
  sendMessage: {
    method: 'POST',
    path: '/api/chat/conversations/:id/messages',
    access: 'session',
    summary: 'Send a message and get the answer of the model',
    errors: [503],
    params: idParamsSchema,
    body: sendMessageSchema,
    bodyLimit: 8 * 1024 * 1024,
    response: exchangeSchema,
  },
  sendMessageWithTools: {
    method: 'POST',
    path: '/api/chat/conversations/:id/messages/with-tools',
    access: 'session',
    summary: 'Send a message and let the model call tools, optionally streamed',
    errors: [503],
    params: idParamsSchema,
    body: sendWithToolsSchema,
    bodyLimit: 8 * 1024 * 1024,
    response: toolExchangeSchema,
    events: runEventSchema,
  },
  sendAgenticMessage: {
    method: 'POST',
    path: '/api/chat/conversations/:id/messages/agentic',
    access: 'session',
    summary: 'Send a message and let the model work autonomously',
    errors: [503],
    params: idParamsSchema,
    body: sendAgenticMessageSchema,
    bodyLimit: 8 * 1024 * 1024,
    response: z.never(),
    events: runEventSchema,
  },
});
