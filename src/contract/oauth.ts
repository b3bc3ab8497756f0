import { z } from 'zod';
import { MAX_OWN_PATH, ownPathPattern } from './own-path.ts';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { userSchema } from './users.ts';
import { type Vendor, wireName } from './vendors.ts';

/** A path of this daemon; what a browser could resolve to another site is refused. */
export const returnToSchema = z
  .string()
  .max(MAX_OWN_PATH)
  .regex(ownPathPattern, 'Expected a path of this daemon');

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

const start = (vendor: Vendor, summary: string) =>
  ({
    method: 'GET',
    path: `/api/auth/${wireName(vendor)}`,
    access: 'public',
    summary,
    errors: [401, 501, 503],
    redirect: true,
    limit: startLimit,
    query: startQuerySchema,
    response: z.never(),
  }) as const;
const callback = (vendor: Vendor, summary: string) =>
  ({
    method: 'GET',
    path: `/api/auth/${wireName(vendor)}/callback`,
    access: 'public',
    crossSite: true,
    summary,
    errors: [401, 501, 503],
    redirect: true,
    query: callbackQuerySchema,
    response: z.never(),
  }) as const;

export const oauthRoutes = defineRoutes({
  startGithub: start('github', 'Redirect to GitHub to sign in or to connect an account'),
  completeGithub: callback('github', 'Complete the sign-in with GitHub'),
  createGithubUrl: {
    method: 'GET',
    path: `/api/auth/${wireName('github')}/url`,
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
  exchangeGithubCode: {
    method: 'POST',
    path: `/api/auth/${wireName('github')}/token`,
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
  startJira: start('jira', 'Redirect to Jira to connect an account'),
  completeJira: callback('jira', 'Complete the connection to Jira'),
  startLinear: start('linear', 'Redirect to Linear to connect an account'),
  completeLinear: callback('linear', 'Complete the connection to Linear'),
});
