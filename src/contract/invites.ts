import { z } from 'zod';
import { idParamsSchema, messageSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { emailSchema, roleSchema } from './users.ts';

export const inviteSchema = z
  .object({
    id: z.string(),
    role: roleSchema,
    email: z.string().optional().meta({ description: 'Only this e-mail address can use the invite' }),
    createdBy: z.string(),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    usedAt: timestampSchema.optional(),
    usedBy: z.string().optional(),
  })
  .meta({ id: 'Invite' });
export type Invite = z.output<typeof inviteSchema>;

export const createInviteSchema = z.object({
  role: roleSchema.default('user'),
  email: emailSchema.optional(),
  expiresInDays: z.int().min(1).max(365).default(7),
});
export type CreateInvite = z.output<typeof createInviteSchema>;

export const invitesRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/auth/invites',
    access: 'admin',
    summary: 'List invites, newest first',
    query: pageQuerySchema,
    response: z.object({ invites: z.array(inviteSchema), ...pageFields }),
  },
  create: {
    method: 'POST',
    path: '/api/auth/invites',
    access: 'admin',
    summary: 'Create an invite',
    body: createInviteSchema,
    status: 201,
    response: z.object({
      invite: inviteSchema,
      code: z.string().meta({ description: 'The inviteCode for sign-up; shown only once' }),
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/auth/invites/:id',
    access: 'admin',
    summary: 'Delete an invite',
    params: idParamsSchema,
    response: messageSchema,
  },
});
