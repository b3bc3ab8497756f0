import { z } from 'zod';
import { jsonObjectSchema, messageSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { nameSchema, roleSchema } from './users.ts';

const requestIdSchema = z
  .string()
  .meta({ description: 'The secret of who asks: the token is given to its holder' });
const codeSchema = z
  .string()
  .min(1)
  .max(50)
  .meta({ description: 'The pairing code, with or without dashes' });

export const pairingStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired']);
export type PairingStatus = z.output<typeof pairingStatusSchema>;

/** A request as those see it who may decide on it. */
export const pairingRequestSchema = z
  .object({
    id: z.string(),
    version: z.string().meta({ description: 'Another one once another device stands behind the code' }),
    requesterId: z.string(),
    meta: jsonObjectSchema,
    fingerprint: z.string().optional().meta({ description: 'Of the key of the device that asks' }),
    address: z.string().optional(),
    status: pairingStatusSchema,
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    decidedAt: timestampSchema.optional(),
    approvedBy: z.string().optional().meta({ description: 'The id of the user who approved it' }),
    approverLabel: z.string().optional().meta({ description: 'What the approver called themselves' }),
    role: roleSchema.optional().meta({ description: 'The most that the device may do' }),
    reason: z.string().optional(),
  })
  .meta({ id: 'PairingRequest' });
export type PairingRequest = z.output<typeof pairingRequestSchema>;

const labelSchema = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Use one line without control characters');

const askSchema = z.object({
  requesterId: z.string().min(1).max(200).meta({ description: 'What the device calls itself' }),
  meta: jsonObjectSchema
    .refine((meta) => JSON.stringify(meta).length <= 4096, 'At most 4096 characters')
    .default({}),
  publicKey: z.string().max(100).optional().meta({ description: 'The Ed25519 key of the device, base64' }),
});
export type AskPairing = z.output<typeof askSchema>;

const askLimit = { max: 5, windowMs: 60_000, message: 'Too many pairing requests. Try again in a minute.' };
const expiring = { expiresAt: timestampSchema };
const daemonFingerprint = {
  daemonFingerprint: z
    .string()
    .meta({ description: 'Of the identity of this daemon, to compare on both sides' }),
};

export const pairingRoutes = defineRoutes({
  request: {
    method: 'POST',
    path: '/api/devices/pairing/request',
    access: 'public',
    summary: 'Ask for a session for a new device',
    limit: askLimit,
    body: askSchema,
    response: z.object({
      requestId: requestIdSchema,
      code: z.string(),
      formatted: z.string(),
      ...expiring,
      ...daemonFingerprint,
    }),
  },
  qr: {
    method: 'GET',
    path: '/api/devices/pairing/qr',
    access: 'session',
    summary: 'Make a QR code that a device scans to be paired',
    response: z.object({
      qrSvg: z.string(),
      pairingUrl: z.string(),
      requestId: requestIdSchema,
      ...expiring,
      code: z.string(),
      ...daemonFingerprint,
    }),
  },
  claim: {
    method: 'POST',
    path: '/api/devices/pairing/claim',
    access: 'public',
    summary: 'Ask for a session with the code of a scanned QR code',
    limit: askLimit,
    body: askSchema.extend({ code: codeSchema }),
    response: z.object({ requestId: requestIdSchema, ...expiring, ...daemonFingerprint }),
  },
  inspect: {
    method: 'POST',
    path: '/api/devices/pairing/inspect',
    access: 'session',
    summary: 'Show the request behind a pairing code',
    body: z.object({ code: codeSchema }),
    response: z.object({ request: pairingRequestSchema }),
  },
  approve: {
    method: 'POST',
    path: '/api/devices/pairing/approve',
    access: 'session',
    summary: 'Approve a pairing request by its code',
    body: z.object({
      code: codeSchema,
      approvedBy: labelSchema.optional().meta({
        description: 'A label for the approver, such as a name; the session decides who approves',
      }),
      role: roleSchema.optional().meta({ description: 'No more than your own, which is the default' }),
      name: nameSchema.optional().meta({ description: 'What the device is called from now on' }),
      version: z.string().max(100).optional().meta({
        description:
          'Of the request that was inspected; a device that came into its place since is not approved',
      }),
    }),
    response: messageSchema.extend({ request: pairingRequestSchema }),
  },
  reject: {
    method: 'POST',
    path: '/api/devices/pairing/reject',
    access: 'session',
    summary: 'Reject a pairing request by its code',
    body: z.object({ code: codeSchema, reason: z.string().max(500).optional() }),
    response: messageSchema.extend({ request: pairingRequestSchema }),
  },
  status: {
    method: 'GET',
    path: '/api/devices/pairing/status/:requestId',
    access: 'public',
    summary: 'Show what became of a pairing request; an expired one for ten minutes more',
    params: z.object({ requestId: z.string().min(1).max(200) }),
    response: z.object({
      status: pairingStatusSchema,
      token: z.string().optional().meta({
        description: 'The session of the device, given once: send it as the cookie service_session',
      }),
      approvedAt: timestampSchema.optional(),
      ...expiring,
      reason: z.string().optional(),
      claimedBy: z
        .object({ requesterId: z.string(), fingerprint: z.string().optional() })
        .optional()
        .meta({ description: 'The device that scanned the QR code; it gets the token' }),
    }),
  },
  pending: {
    method: 'GET',
    path: '/api/devices/pairing/pending',
    access: 'admin',
    summary: 'List the requests that wait for a decision',
    response: z.object({ requests: z.array(pairingRequestSchema) }),
  },
  cleanup: {
    method: 'POST',
    path: '/api/devices/pairing/cleanup',
    access: 'session',
    summary: 'Remove expired requests',
    response: z.object({ removed: z.int() }),
  },
});
