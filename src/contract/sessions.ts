import { z } from 'zod';
import { idParamsSchema, messageSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const sessionSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['sign-in', 'owner', 'device']).meta({
      description:
        '`sign-in`: a browser or terminal; `owner`: the CLI on this machine; `device`: a paired device',
    }),
    current: z.boolean(),
    createdAt: timestampSchema,
    lastSeenAt: timestampSchema,
    expiresAt: timestampSchema.optional(),
    userAgent: z.string().optional(),
    address: z.string().optional(),
    deviceId: z.string().optional(),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof sessionSchema>;

export const sessionsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/auth/sessions',
    access: 'session',
    summary: 'List your sessions, newest first',
    query: pageQuerySchema,
    response: z.object({ sessions: z.array(sessionSchema), ...pageFields }),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/auth/sessions/:id',
    access: 'session',
    summary: 'Revoke one of your sessions',
    params: idParamsSchema,
    response: messageSchema,
  },
});
