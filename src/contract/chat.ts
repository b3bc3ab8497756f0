import { z } from 'zod';
import {
  approvalCoverageSchema,
  approvalDecisionSchema,
  decidedApprovalSchema,
  decisionSignatureSchema,
} from './approvals.ts';
import { modelSchema, providerNameSchema, providerParameterSchema } from './providers.ts';
import { defineRoutes } from './route.ts';

export const chatRoleSchema = z.enum(['user', 'assistant', 'system']);

/** A message of a chat request. */
export const chatMessageSchema = z.object({
  role: chatRoleSchema,
  content: z.string().max(1_000_000),
});
export type ChatMessage = z.output<typeof chatMessageSchema>;

/** Absent figures are unknown, never 0. */
export const tokenUsageSchema = z
  .object({
    promptTokens: z.int().optional(),
    completionTokens: z.int().optional(),
    totalTokens: z.int().optional(),
  })
  .meta({ id: 'TokenUsage' });
export type TokenUsage = z.output<typeof tokenUsageSchema>;

export const finishReasonSchema = z.enum([
  'stop',
  'length',
  'content_filter',
  'tool_calls',
  'max_round_trips',
  'error',
  'other',
]);
export type FinishReason = z.output<typeof finishReasonSchema>;

const duration = z.number().meta({ description: 'Milliseconds' });
export const completionSchema = z
  .object({
    id: z.string(),
    provider: providerNameSchema,
    model: z.string(),
    message: z.object({ role: z.literal('assistant'), content: z.string() }),
    finishReason: finishReasonSchema,
    usage: tokenUsageSchema,
    duration,
  })
  .meta({ id: 'Completion' });
export type Completion = z.output<typeof completionSchema>;

const modelField = z.string().min(1).max(200).optional().meta({
  description: 'Model of the provider, or `provider/model`; defaults to the default model',
});
const messages = z
  .array(chatMessageSchema)
  .min(1)
  .max(1000)
  .refine((list) => list.some(({ role }) => role !== 'system'), 'Expected a message of the user');

export const completionRequestSchema = z.object({
  messages,
  model: modelField,
  provider: providerNameSchema.optional(),
  systemPrompt: z.string().max(200_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.int().min(1).max(1_000_000).optional(),
  stream: z.boolean().default(false),
  conversationId: z.string().max(200).optional(),
  taskId: z.string().max(200).optional(),
  ticketId: z.string().max(200).optional(),
});
export type CompletionRequest = z.output<typeof completionRequestSchema>;

/** One frame of a streamed completion: text, the end, or an error. */
export const completionChunkSchema = z.union([
  z.object({ content: z.string() }),
  z.object({ done: z.literal(true), usage: tokenUsageSchema, finishReason: finishReasonSchema }),
  z.object({ error: z.string(), code: z.string() }),
]);
export type CompletionChunk = z.output<typeof completionChunkSchema>;

/** A memory item that was added to the prompt. */
export const recalledMemorySchema = z
  .object({
    kind: z.enum(['chunk', 'experience', 'preference']),
    id: z.string(),
    path: z.string().optional().meta({ description: 'File of the chunk' }),
    startLine: z.int().min(1).optional(),
    endLine: z.int().min(1).optional(),
    score: z.number().min(0).max(1).meta({ description: 'Relevance; for a preference, its confidence' }),
    text: z.string().meta({ description: 'Text added to the prompt, possibly truncated' }),
  })
  .meta({ id: 'RecalledMemory' });
export type RecalledMemory = z.output<typeof recalledMemorySchema>;

export const presetIdSchema = z.enum(['assistant', 'developer', 'reviewer', 'task-manager', 'writer']);
export type PresetId = z.output<typeof presetIdSchema>;

export const chatRoutes = defineRoutes({
  createCompletion: {
    method: 'POST',
    path: '/api/chat/completions',
    access: 'session',
    summary: 'Create a chat completion, optionally streamed',
    errors: [404, 503],
    body: completionRequestSchema,
    bodyLimit: 8 * 1024 * 1024,
    response: completionSchema,
    events: completionChunkSchema,
  },
  createQuickCompletion: {
    method: 'POST',
    path: '/api/chat/quick',
    access: 'session',
    summary: 'Complete a single prompt with the default model',
    errors: [503],
    body: z.object({
      prompt: z.string().trim().min(1).max(1_000_000),
      model: modelField,
      provider: providerNameSchema.optional(),
    }),
    bodyLimit: 8 * 1024 * 1024,
    response: z.object({
      id: z.string(),
      content: z.string(),
      provider: providerNameSchema,
      model: z.string(),
      usage: tokenUsageSchema,
      duration,
    }),
  },
  createSmartCompletion: {
    method: 'POST',
    path: '/api/chat/smart',
    access: 'session',
    summary: 'Create a completion with task and memory context',
    errors: [404, 503],
    body: z.object({
      messages,
      taskId: z.string().max(200).optional(),
      ticketId: z.string().max(200).optional(),
      presetId: presetIdSchema.default('assistant'),
      model: modelField,
      provider: providerNameSchema.optional(),
    }),
    bodyLimit: 8 * 1024 * 1024,
    response: completionSchema.extend({
      context: z.object({
        presetId: presetIdSchema,
        taskId: z.string().nullable(),
        ticketId: z.string().nullable(),
        memory: z.array(recalledMemorySchema),
      }),
    }),
  },
  decideApproval: {
    method: 'POST',
    path: '/api/chat/tools/approve',
    access: 'session',
    summary: 'Approve or deny a tool call in a conversation',
    errors: [404],
    body: z.object({
      conversationId: z.string().min(1).max(200),
      approvalId: z.string().min(1).max(200),
      decision: approvalDecisionSchema,
      covers: approvalCoverageSchema.default('kind'),
      signature: decisionSignatureSchema.optional(),
    }),
    response: decidedApprovalSchema,
  },
  listModels: {
    method: 'GET',
    path: '/api/chat/models',
    access: 'session',
    summary: 'List models of all configured providers, or of one',
    errors: [503],
    query: z.object({ provider: providerParameterSchema.optional() }),
    response: z.object({
      models: z.array(modelSchema),
      aliases: z.record(z.string(), z.string()).optional(),
    }),
  },
});
