import { z } from 'zod';
import { idParamsSchema, messageSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const signingAlgorithmSchema = z.enum(['ed25519', 'p256']);
export type SigningAlgorithm = z.output<typeof signingAlgorithmSchema>;

/** A key that signs decisions of one session; its private half never leaves the browser or machine that made it. */
export const signingKeySchema = z
  .object({
    id: z.string(),
    algorithm: signingAlgorithmSchema,
    publicKey: z.string().meta({
      description: 'Base64: the 32 bytes of an Ed25519 key, or the 65 of an uncompressed P-256 point',
    }),
    fingerprint: z.string().meta({ description: '`sha256:` and the hash of the public key in hexadecimal' }),
    name: z.string().meta({ description: 'The device or browser that holds the private half' }),
    userId: z.string(),
    sessionId: z.string().meta({ description: 'The session whose decisions it signs; it ends with it' }),
    deviceId: z.string().optional(),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.optional(),
    current: z.boolean().meta({ description: 'It is the key of the session that asks' }),
  })
  .meta({ id: 'SigningKey' });
export type SigningKey = z.output<typeof signingKeySchema>;

/** A key to register. */
export const registerSigningKeySchema = z.object({
  algorithm: signingAlgorithmSchema,
  publicKey: z.string().min(1).max(100),
});
export type RegisterSigningKey = z.output<typeof registerSigningKeySchema>;

export const keysRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/auth/signing-keys',
    access: 'session',
    summary: 'List the keys that sign your decisions, newest first',
    query: pageQuerySchema,
    response: z.object({ keys: z.array(signingKeySchema), ...pageFields }),
  },
  register: {
    method: 'POST',
    path: '/api/auth/signing-keys',
    access: 'session',
    summary: 'Register the key that signs the decisions of your session',
    limit: { max: 20, windowMs: 60_000, message: 'Too many keys. Try again in a minute.' },
    body: registerSigningKeySchema,
    bodyLimit: 16 * 1024,
    response: z.object({ key: signingKeySchema }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/auth/signing-keys/:id',
    access: 'session',
    summary: 'Remove a key that signs your decisions',
    params: idParamsSchema,
    response: messageSchema,
  },
});
