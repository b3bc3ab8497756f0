import { z } from 'zod';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { userSchema } from './users.ts';

export const providerNameSchema = z.enum(['codehost', 'tracker_a', 'tracker_b']);
export type ProviderName = z.output<typeof providerNameSchema>;

/** A path of this daemon; what a browser could resolve to another site is refused. */
export const returnToSchema = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, 'Expected a path of this daemon');

const startQuerySchema = z.object({
  returnTo: returnToSchema.optional().meta({ description: 'Path to open at the end' }),
});
export const callbackQuerySchema = z.object({
  code: z.string().max(2000).optional(),
  state: z.string().max(500).optional(),
  error: z.string().max(200).optional(),
  error_description: z.string().max(1000).optional(),
  iss: z.string().max(500).optional(),
});
export type OAuthCallback = z.output<typeof callbackQuerySchema>;

const startLimit = { max: 20, windowMs: 60_000, message: 'Too many attempts. Try again in a minute.' };

const start = (provider: ProviderName, summary: string) =>
  ({
    method: 'GET',
    path: `/api/auth/${provider}`,
    access: 'public',
    summary,
    errors: [401, 501, 503],
    redirect: true,
    limit: startLimit,
    query: startQuerySchema,
    response: z.never(),
  }) as const;
const callback = (provider: ProviderName, summary: string) =>
  ({
    method: 'GET',
    path: `/api/auth/${provider}/callback`,
    access: 'public',
    crossSite: true,
    summary,
    errors: [401, 501, 503],
    redirect: true,
    query: callbackQuerySchema,
    response: z.never(),
  }) as const;

export const oauthRoutes = defineRoutes({
  startCodehost: start('codehost', 'Redirect to GitHub to sign in or to connect an account'),
  completeCodehost: callback('codehost', 'Complete the sign-in with GitHub'),
  createCodehostUrl: {
    method: 'GET',
    path: '/api/auth/codehost/url',
    access: 'public',
    summary: 'Create a GitHub authorization URL for a single-page app',
    errors: [501, 503],
    limit: startLimit,
    query: z.object({
      redirectUri: z.url().max(2000).optional().meta({
        description: 'Redirect URI on this daemon; defaults to its callback',
      }),
      codeChallenge: z
        .string()
        .regex(/^[\w-]{43}$/, 'Expected a code challenge (RFC 7636, S256)')
        .optional()
        .meta({ description: 'PKCE challenge of an app that keeps its own code verifier' }),
    }),
    response: z.object({ url: z.string(), state: z.string() }),
  },
  exchangeCodehostCode: {
    method: 'POST',
    path: '/api/auth/codehost/token',
    access: 'public',
    summary: 'Exchange a GitHub code for a session',
    errors: [401, 501, 503],
    limit: { max: 10, windowMs: 60_000, message: 'Too many attempts. Try again in a minute.' },
    body: z.object({
      code: z.string().min(1).max(2000),
      state: z.string().min(1).max(500),
      codeVerifier: z
        .string()
        .regex(/^[\w.~-]{43,128}$/, 'Expected a code verifier (RFC 7636)')
        .optional(),
    }),
    response: messageSchema.extend({
      user: userSchema.pick({ id: true, email: true, name: true, role: true }),
    }),
  },
  startTrackerA: start('tracker_a', 'Redirect to Jira to connect an account'),
  completeTrackerA: callback('tracker_a', 'Complete the connection to Jira'),
  startTrackerB: start('tracker_b', 'Redirect to Linear to connect an account'),
  completeTrackerB: callback('tracker_b', 'Complete the connection to Linear'),
});
