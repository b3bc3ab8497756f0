import { z } from 'zod';
import { returnToSchema } from './oauth.ts';
import { messageSchema, timestampSchema, timeZoneSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { emailSchema, nameSchema, userSchema } from './users.ts';

export const authModeSchema = z.enum(['local', 'cloud']);

/** At least 8 characters with a letter and a number, in any script. */
export const passwordSchema = z
  .string()
  .min(8, 'The password needs at least 8 characters')
  .max(1000)
  .regex(/\p{L}/u, 'The password needs a letter')
  .regex(/\p{N}/u, 'The password needs a number');

export const signupSchema = z.object({
  email: emailSchema,
  password: passwordSchema,
  name: nameSchema,
  inviteCode: z.string().min(1).max(200).optional(),
});
export type Signup = z.output<typeof signupSchema>;

/** The profile fields that a user may change; null clears a field. */
export const updateProfileSchema = z.object({
  name: nameSchema.optional(),
  avatarUrl: z
    .url({ protocol: /^https$/ })
    .max(500)
    .nullable()
    .optional(),
  bio: z.string().max(500).nullable().optional(),
  timezone: timeZoneSchema.nullable().optional(),
  locale: z.string().max(35).refine(isLocale, 'Expected a BCP 47 tag such as en-GB').nullable().optional(),
  onboardingCompleted: z.boolean().optional(),
});
export type UpdateProfile = z.output<typeof updateProfileSchema>;

const tooManyAttempts = 'Too many attempts. Try again in a minute.';
const minute = 60_000;
const signedInSchema = messageSchema.extend({
  user: userSchema.pick({ id: true, email: true, name: true, role: true }),
});

export const authRoutes = defineRoutes({
  signup: {
    method: 'POST',
    path: '/api/auth/signup',
    access: 'public',
    summary: 'Create an account and sign in',
    errors: [503],
    limit: { max: 5, windowMs: minute, message: 'Too many sign-ups. Try again in a minute.' },
    body: signupSchema,
    response: signedInSchema,
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    access: 'public',
    summary: 'Sign in with e-mail and password',
    errors: [401, 503],
    limit: {
      max: 10,
      windowMs: minute,
      message: 'Too many login attempts. Try again in a minute.',
      account: 'email',
    },
    body: z.object({
      email: z
        .string()
        .min(1)
        .max(255)
        .transform((email) => email.trim().toLowerCase()),
      password: z.string().min(1).max(1000),
    }),
    response: messageSchema.extend({ user: userSchema.pick({ id: true, email: true, name: true }) }),
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    access: 'session',
    summary: 'Sign out',
    response: messageSchema,
  },
  getMe: {
    method: 'GET',
    path: '/api/auth/me',
    access: 'public',
    summary: 'Get the current user',
    response: z.object({
      authenticated: z.literal(true),
      authMode: authModeSchema,
      user: userSchema,
      device: z
        .object({
          id: z.string(),
          limited: z.boolean().meta({
            description: 'Whether it may only look, decide on approvals and cancel tasks',
          }),
        })
        .optional()
        .meta({ description: 'The paired device that asks' }),
    }),
    also: {
      401: z.object({
        authenticated: z.literal(false),
        authMode: authModeSchema,
        accessKeyRequired: z.boolean(),
        githubSignIn: z.boolean().meta({ description: 'Whether people can sign in with GitHub' }),
        signUp: z.enum(['open', 'invite', 'setup_code']).meta({
          description:
            'What a new account needs: nothing, an invite, or for the first account the setup code of the daemon',
        }),
      }),
    },
  },
  updateMe: {
    method: 'PATCH',
    path: '/api/auth/me',
    access: 'session',
    summary: 'Update your profile',
    body: updateProfileSchema,
    response: z.object({ user: userSchema }),
  },
  updatePassword: {
    method: 'PUT',
    path: '/api/auth/password',
    access: 'session',
    summary: 'Change your password and sign out your other sessions',
    errors: [503],
    limit: { max: 10, windowMs: minute, message: tooManyAttempts },
    body: z.object({
      currentPassword: z.string().min(1).max(1000).optional().meta({
        description: 'Required if the account has a password',
      }),
      newPassword: passwordSchema,
    }),
    response: messageSchema,
  },
  verifyAccessKey: {
    method: 'POST',
    path: '/api/auth/verify-access-key',
    access: 'public',
    summary: 'Sign in with the access key of local mode',
    errors: [401, 501, 503],
    limit: { max: 10, windowMs: minute, message: tooManyAttempts },
    body: z.object({ key: z.string().min(1).max(1000) }),
    response: z.object({ success: z.boolean(), message: z.string() }),
  },
  updateAccessKey: {
    method: 'PUT',
    path: '/api/auth/access-key',
    access: 'admin',
    summary: 'Set or remove the access key of local mode',
    errors: [501, 503],
    body: z.object({ key: z.string().min(8).max(1000).nullable() }),
    response: messageSchema,
  },
  createSignInLink: {
    method: 'POST',
    path: '/api/auth/sign-in-links',
    access: 'session',
    summary: 'Create a single-use sign-in link',
    body: z
      .object({
        returnTo: returnToSchema.optional().meta({ description: 'Path to open after signing in' }),
      })
      .prefault({}),
    status: 201,
    response: z.object({
      url: z
        .string()
        .meta({ description: 'The token is in the fragment, which browsers do not send to servers' }),
      token: z.string(),
      expiresAt: timestampSchema,
    }),
  },
  redeemSignInLink: {
    method: 'POST',
    path: '/api/auth/sign-in-links/redeem',
    access: 'public',
    summary: 'Sign in with the token of a sign-in link',
    errors: [401],
    limit: { max: 10, windowMs: minute, message: tooManyAttempts },
    body: z.object({ token: z.string().min(1).max(200) }),
    response: signedInSchema.extend({
      returnTo: z.string().optional().meta({ description: 'Path to open after signing in' }),
    }),
  },
});

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
