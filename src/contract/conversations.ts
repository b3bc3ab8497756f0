import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { chatRoleSchema, finishReasonSchema, presetIdSchema, tokenUsageSchema } from './chat.ts';
import {
  idParamsSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  pageFields,
  timestampSchema,
} from './primitives.ts';
import { modelProviderTypeSchema } from './providers.ts';
import { defineRoutes } from './route.ts';
import { sendAgenticMessageSchema, runEventSchema } from './run-events.ts';
import { securityModeSchema } from './security-mode.ts';

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
    messageCount: z.int(),
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

export const conversationMessageSchema = z
  .object({
    id: z.string(),
    conversationId: z.string(),
    role: chatRoleSchema,
    content: z.string(),
    provider: modelProviderTypeSchema.optional(),
    model: z.string().optional(),
    usage: tokenUsageSchema.optional(),
    toolCalls: z.array(toolCallSchema).optional(),
    createdAt: timestampSchema,
  })
  .meta({ id: 'ConversationMessage' });
export type ConversationMessage = z.output<typeof conversationMessageSchema>;

/** What was summarized because the model's context window was full; the messages themselves are kept. */
export const compactionSchema = z
  .object({
    originalCount: z.int(),
    compactedCount: z.int(),
    tokensBefore: z.int(),
    tokensAfter: z.int(),
  })
  .meta({ id: 'Compaction' });
export type Compaction = z.output<typeof compactionSchema>;

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
});
export type CreateConversation = z.output<typeof createConversationSchema>;

export const sendMessageSchema = z.object({
  content: z.string().trim().min(1).max(1_000_000),
  model: z.string().min(1).max(200).optional(),
  provider: modelProviderTypeSchema.optional(),
});
export type SendMessage = z.output<typeof sendMessageSchema>;

export const sendWithToolsSchema = sendMessageSchema.extend({
  enableTools: z.boolean().default(true),
  securityMode: securityModeSchema
    .optional()
    .meta({ description: 'Only an administrator may choose a mode less strict than the policy' }),
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
  })
  .meta({ id: 'ToolExchange' });
export type ToolExchange = z.output<typeof toolExchangeSchema>;

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
    }),
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
