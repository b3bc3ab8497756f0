import { z } from 'zod';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { userSchema } from './users.ts';

export const providerNameSchema = z.enum(['codehost', 'tracker_a', 'tracker_b']);
export type ProviderName = z.output<typeof providerNameSchema>;

/** A path of this daemon; anything that a browser could take for another site is refused. */
export const returnToSchema = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, 'Expected a path of this daemon');

const startQuerySchema = z.object({
  returnTo: returnToSchema
    .optional()
    .meta({ description: 'The path that the browser is sent to at the end' }),
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
  codehost: start('codehost', 'Send the browser to GitHub to sign in, or to connect GitHub'),
  codehostCallback: callback('codehost', 'Take the browser back from GitHub and sign in'),
  codehostUrl: {
    method: 'GET',
    path: '/api/auth/codehost/url',
    access: 'public',
    summary: 'Make the address at which a single-page app signs in with GitHub',
    errors: [501, 503],
    limit: startLimit,
    query: z.object({
      redirectUri: z.url().max(2000).optional().meta({
        description: 'Where the vendor sends the browser: an address of this daemon, its callback unless set',
      }),
      codeChallenge: z
        .string()
        .regex(/^[\w-]{43}$/, 'Expected a code challenge (RFC 7636, S256)')
        .optional()
        .meta({ description: 'Of an app that keeps the code verifier itself' }),
    }),
    response: z.object({ url: z.string(), state: z.string() }),
  },
  codehostToken: {
    method: 'POST',
    path: '/api/auth/codehost/token',
    access: 'public',
    summary: 'Sign in with the code that GitHub gave to a single-page app',
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
  trackerA: start('tracker_a', 'Send the browser to Jira to connect it'),
  trackerACallback: callback('tracker_a', 'Take the browser back from Jira and keep the connection'),
  trackerB: start('tracker_b', 'Send the browser to Linear to connect it'),
  trackerBCallback: callback('tracker_b', 'Take the browser back from Linear and keep the connection'),
});
