import { z } from 'zod';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(['user', 'admin']),
    connectedAccounts: z.array(z.string()),
    hasCodehostToken: z.boolean(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof userSchema>;

export const authModeSchema = z.enum(['local', 'cloud']);

export const authRoutes = defineRoutes({
  me: {
    method: 'GET',
    path: '/api/auth/me',
    access: 'public',
    summary: 'Say who is signed in',
    response: z.object({ authenticated: z.literal(true), authMode: authModeSchema, user: userSchema }),
    also: {
      401: z.object({
        authenticated: z.literal(false),
        authMode: authModeSchema,
        accessKeyRequired: z.boolean(),
      }),
    },
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    access: 'session',
    summary: 'End this session',
    response: messageSchema,
  },
  verifyAccessKey: {
    method: 'POST',
    path: '/api/auth/verify-access-key',
    access: 'public',
    summary: 'Sign in with the access key of local mode',
    limit: { max: 10, windowMs: 60_000, message: 'Too many attempts. Try again in a minute.' },
    body: z.object({ key: z.string().min(1).max(1000) }),
    response: z.object({ success: z.boolean(), message: z.string() }),
  },
  setAccessKey: {
    method: 'PUT',
    path: '/api/auth/access-key',
    access: 'admin',
    summary: 'Set or remove the access key of local mode',
    body: z.object({ key: z.string().min(8).max(1000).nullable() }),
    response: messageSchema,
  },
});
