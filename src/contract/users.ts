import { z } from 'zod';
import { idParamsSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { type Vendor, wireName } from './vendors.ts';

export const roleSchema = z.enum(['user', 'admin']);
export type Role = z.output<typeof roleSchema>;

/** A name on one line, without control characters. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Use one line without control characters');

const MAX_EMAIL = 254;

/** Reserved top-level domains without mail (RFC 6761, RFC 7686); `.test` and `.example` are left to those who try things out. */
const unreachable = new Set(['invalid', 'localhost', 'onion']);

/** Whether a mail server can accept the address (RFC 5321, section 4.5.3.1; RFC 1035, section 2.3.4). */
function isReachable(email: string): boolean {
  const [local = '', domain = ''] = email.split('@');
  const labels = domain.toLowerCase().split('.');
  // Reported by the limit of the schema.
  if (email.length > MAX_EMAIL) return true;
  return (
    local.length <= 64 &&
    labels.every((label) => label.length <= 63 && !label.startsWith('-') && !label.endsWith('-')) &&
    !unreachable.has(labels.at(-1) ?? '')
  );
}

export const emailSchema = z
  .email()
  .max(MAX_EMAIL)
  .refine(isReachable, 'Expected an address that mail can reach')
  .transform((email) => email.toLowerCase());

export const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: roleSchema,
    connectedAccounts: z.array(z.string()),
    hasCodehostToken: z.boolean(),
    avatarUrl: z.string().optional(),
    bio: z.string().optional(),
    timezone: z.string().optional(),
    locale: z.string().optional(),
    onboardingCompleted: z.boolean(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof userSchema>;

/** The fields of a user that say where they connected an account. */
export const connectedFields = (
  vendors: readonly Vendor[],
): Pick<User, 'connectedAccounts' | 'hasCodehostToken'> => ({
  connectedAccounts: vendors.map(wireName),
  hasCodehostToken: vendors.includes('github'),
});

/** A user as administrators see it. */
export const accountSchema = userSchema
  .pick({ id: true, email: true, name: true, role: true })
  .extend({
    createdAt: timestampSchema,
    disabled: z.boolean(),
    hasPassword: z.boolean(),
    isOwner: z.boolean().meta({ description: 'Owner of this machine in local mode' }),
  })
  .meta({ id: 'Account' });
export type Account = z.output<typeof accountSchema>;

export const updateAccountSchema = z.object({
  role: roleSchema.optional(),
  disabled: z
    .boolean()
    .optional()
    .meta({ description: 'Revokes the sessions of the user and disables their tokens' }),
});
export type UpdateAccount = z.output<typeof updateAccountSchema>;

export const usersRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/auth/users',
    access: 'admin',
    summary: 'List users',
    query: pageQuerySchema,
    response: z.object({ users: z.array(accountSchema), ...pageFields }),
  },
  update: {
    method: 'PATCH',
    path: '/api/auth/users/:id',
    access: 'admin',
    summary: 'Update the role of a user, or disable the user',
    params: idParamsSchema,
    body: updateAccountSchema,
    response: z.object({ user: accountSchema }),
  },
});
