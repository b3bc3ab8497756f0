import { z } from 'zod';
import { originSchema } from './experiences.ts';
import { messageSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

const userIdSchema = z.string().min(1).max(200);

export const preferenceSchema = z
  .object({
    id: z.string(),
    userId: z.string(),
    category: z.string(),
    value: z.string(),
    confidence: z.number().min(0).max(1).meta({ description: 'Rises each time the preference is observed' }),
    count: z.int().meta({ description: 'How often it was observed' }),
    origin: originSchema,
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Preference' });
export type Preference = z.output<typeof preferenceSchema>;

export const trackPreferenceSchema = z.object({
  category: z.string().trim().min(1).max(100),
  value: z.string().trim().min(1).max(2000),
  userId: userIdSchema.optional().meta({ description: 'Only an administrator may name another user' }),
});
export type TrackPreference = z.output<typeof trackPreferenceSchema>;

export const preferencesRoutes = defineRoutes({
  track: {
    method: 'POST',
    path: '/api/memory/preferences',
    access: 'session',
    summary: 'Record a preference or raise its confidence',
    errors: [404],
    body: trackPreferenceSchema,
    response: z.object({ preference: preferenceSchema }),
  },
  list: {
    method: 'GET',
    path: '/api/memory/preferences/:userId',
    access: 'session',
    summary: 'List the preferences of a user, highest confidence first; `me` is the caller',
    params: z.object({ userId: userIdSchema }),
    query: pageQuerySchema,
    response: z.object({ preferences: z.array(preferenceSchema), ...pageFields }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/memory/preferences/:userId/:id',
    access: 'session',
    summary: 'Delete a preference',
    params: z.object({ userId: userIdSchema, id: z.string().min(1).max(200) }),
    response: messageSchema,
  },
});
