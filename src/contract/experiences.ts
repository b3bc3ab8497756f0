import { z } from 'zod';
import { searchMethodSchema } from './memory.ts';
import {
  idParamsSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  pageFields,
  queryNumber,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';

export const experienceTypeSchema = z.enum([
  'tool_chain',
  'user_preference',
  'task_solution',
  'error_recovery',
]);
export type ExperienceType = z.output<typeof experienceTypeSchema>;

/** Where an experience or a preference comes from. */
export const originSchema = z
  .object({
    kind: z.enum(['user', 'task', 'conversation']).meta({ description: 'A user, a task or a conversation' }),
    userId: z.string(),
    taskId: z.string().optional(),
    conversationId: z.string().optional(),
    trusted: z.boolean().meta({ description: 'false if untrusted text had a part in it' }),
    verified: z.boolean().optional().meta({
      description:
        'Of a task: whether its verification passed. If false, only the agent said that it succeeded',
    }),
  })
  .meta({ id: 'Origin' });
export type Origin = z.output<typeof originSchema>;

const tagSchema = z.string().trim().min(1).max(50);
const fields = {
  type: experienceTypeSchema,
  intent: z.string().trim().min(1).max(2000).meta({ description: 'The goal' }),
  solution: z
    .array(z.string().trim().min(1).max(4000))
    .min(1)
    .max(50)
    .meta({ description: 'The steps that reached the goal' }),
  successScore: z.number().min(0).max(1),
  tags: z.array(tagSchema).max(20),
};

export const experienceSchema = z
  .object({
    id: z.string(),
    ...fields,
    weight: z.number().meta({ description: 'Starts at 1; use raises it up to 2, decay lowers it' }),
    useCount: z.int(),
    lastUsedAt: timestampSchema.optional(),
    sourceConversationId: z.string().optional(),
    project: z.string().optional().meta({ description: 'The directory of the project in which it was made' }),
    origin: originSchema,
    createdAt: timestampSchema,
  })
  .meta({ id: 'Experience' });
export type Experience = z.output<typeof experienceSchema>;

export const createExperienceSchema = z.object({
  ...fields,
  successScore: fields.successScore.default(1),
  tags: fields.tags.default([]),
  sourceConversationId: z.string().min(1).max(200).optional(),
});
export type CreateExperience = z.output<typeof createExperienceSchema>;

export const searchExperiencesQuerySchema = z.object({
  q: z.string().min(1).max(10_000),
  limit: limitSchema(6, 100),
});

export const listExperiencesQuerySchema = z.object({
  type: experienceTypeSchema.optional(),
  tag: tagSchema.optional(),
  minWeight: queryNumber(0, 1000).optional(),
  conversationId: z.string().min(1).max(200).optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListExperiencesQuery = z.output<typeof listExperiencesQuerySchema>;

const answer = z.object({ experience: experienceSchema });

export const experiencesRoutes = defineRoutes({
  create: {
    method: 'POST',
    path: '/api/memory/experiences',
    access: 'session',
    summary: 'Create an experience',
    errors: [404, 409],
    body: createExperienceSchema,
    status: 201,
    response: answer,
  },
  search: {
    method: 'GET',
    path: '/api/memory/experiences/search',
    access: 'session',
    summary: 'Search experiences by relevance',
    errors: [503],
    query: searchExperiencesQuerySchema,
    response: z.object({
      experiences: z.array(experienceSchema.extend({ score: z.number().min(0).max(1) })),
      method: searchMethodSchema,
    }),
  },
  list: {
    method: 'GET',
    path: '/api/memory/experiences',
    access: 'session',
    summary: 'List experiences, highest weight first',
    query: listExperiencesQuerySchema,
    response: z.object({
      experiences: z.array(experienceSchema),
      ...pageFields,
    }),
  },
  get: {
    method: 'GET',
    path: '/api/memory/experiences/:id',
    access: 'session',
    summary: 'Get an experience',
    params: idParamsSchema,
    response: answer,
  },
  use: {
    method: 'POST',
    path: '/api/memory/experiences/:id/use',
    access: 'session',
    summary: 'Mark an experience as used and raise its weight',
    params: idParamsSchema,
    response: answer,
  },
  delete: {
    method: 'DELETE',
    path: '/api/memory/experiences/:id',
    access: 'session',
    summary: 'Delete an experience',
    params: idParamsSchema,
    response: messageSchema,
  },
  decay: {
    method: 'POST',
    path: '/api/memory/experiences/decay',
    access: 'session',
    summary: 'Decay weights by the time since the last decay',
    body: z
      .object({
        halfLifeDays: z.number().min(0.01).max(36_500).default(30),
      })
      .prefault({}),
    response: z.object({ decayed: z.int() }),
  },
  prune: {
    method: 'POST',
    path: '/api/memory/experiences/prune',
    access: 'session',
    summary: 'Delete experiences with a low weight',
    body: z.object({ minWeight: z.number().min(0).max(2).default(0.05) }).prefault({}),
    response: z.object({ pruned: z.int() }),
  },
});
