import { z } from 'zod';
import { jsonObjectSchema, messageSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { nameSchema, roleSchema } from './users.ts';

const requestIdSchema = z
  .string()
  .meta({ description: 'Secret of the requester: its holder receives the token' });
const codeSchema = z
  .string()
  .min(1)
  .max(50)
  .meta({ description: 'The pairing code, with or without dashes' });

export const pairingStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired']);
export type PairingStatus = z.output<typeof pairingStatusSchema>;

const limitedSchema = z.boolean().meta({
  description: 'Whether the device may only look, decide on approvals and cancel tasks',
});

/** A pairing request as approvers see it. */
export const pairingRequestSchema = z
  .object({
    id: z.string(),
    version: z.string().meta({ description: 'Changes when another device claims the code' }),
    claimed: z.boolean().meta({ description: 'Whether a device has asked with the code' }),
    limited: limitedSchema,
    requesterId: z.string(),
    meta: jsonObjectSchema,
    fingerprint: z
      .string()
      .optional()
      .meta({ description: 'Fingerprint of the key of the requesting device' }),
    address: z.string().optional(),
    status: pairingStatusSchema,
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    decidedAt: timestampSchema.optional(),
    approvedBy: z.string().optional().meta({ description: 'Id of the user who approved it' }),
    approverLabel: z.string().optional().meta({ description: 'The label that the approver gave' }),
    role: roleSchema.optional().meta({ description: 'Maximum role of the device' }),
    reason: z.string().optional(),
  })
  .meta({ id: 'PairingRequest' });
export type PairingRequest = z.output<typeof pairingRequestSchema>;

const labelSchema = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Use one line without control characters');

const createPairingRequestSchema = z.object({
  requesterId: z.string().min(1).max(200).meta({ description: 'Name that the device gives itself' }),
  meta: jsonObjectSchema
    .refine((meta) => JSON.stringify(meta).length <= 4096, 'At most 4096 characters')
    .default({}),
  publicKey: z.string().max(100).optional().meta({ description: 'Ed25519 public key of the device, base64' }),
});
export type CreatePairingRequest = z.output<typeof createPairingRequestSchema>;

const requestLimit = {
  max: 5,
  windowMs: 60_000,
  message: 'Too many pairing requests. Try again in a minute.',
};
const expiring = { expiresAt: timestampSchema };
const daemonFingerprint = {
  daemonFingerprint: z.string().meta({ description: 'Fingerprint of this daemon, to compare on both sides' }),
};

export const pairingRoutes = defineRoutes({
  create: {
    method: 'POST',
    path: '/api/devices/pairing/request',
    access: 'public',
    summary: 'Request a session for a new device',
    errors: [503],
    limit: requestLimit,
    bodyLimit: 16 * 1024,
    body: createPairingRequestSchema,
    response: z.object({
      requestId: requestIdSchema,
      code: z.string(),
      formatted: z.string(),
      ...expiring,
      ...daemonFingerprint,
    }),
  },
  createQr: {
    method: 'GET',
    path: '/api/devices/pairing/qr',
    access: 'session',
    summary: 'Create a QR code for pairing a device',
    errors: [503],
    query: z.object({
      link: z.enum(['app', 'browser']).default('app').meta({
        description:
          '`browser`: an address of this daemon, for the browser of a phone; the device is then limited',
      }),
    }),
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
    summary: 'Claim a pairing request with a scanned QR code',
    errors: [404],
    limit: requestLimit,
    bodyLimit: 16 * 1024,
    body: createPairingRequestSchema.extend({ code: codeSchema }),
    response: z.object({ requestId: requestIdSchema, ...expiring, ...daemonFingerprint }),
  },
  getByCode: {
    method: 'POST',
    path: '/api/devices/pairing/inspect',
    access: 'session',
    summary: 'Get a pairing request by its code',
    errors: [404],
    body: z.object({ code: codeSchema }),
    response: z.object({ request: pairingRequestSchema }),
  },
  approve: {
    method: 'POST',
    path: '/api/devices/pairing/approve',
    access: 'session',
    summary: 'Approve a pairing request by its code',
    errors: [404],
    body: z.object({
      code: codeSchema,
      approvedBy: labelSchema.optional().meta({
        description: 'A label for the approver, such as a name; the session decides who approves',
      }),
      role: roleSchema.optional().meta({ description: 'At most your own role, which is the default' }),
      name: nameSchema.optional().meta({ description: 'New name of the device' }),
      limited: limitedSchema.optional(),
      version: z.string().max(100).optional().meta({
        description:
          'Version of the inspected request; approval fails if another device has claimed the code since',
      }),
    }),
    response: messageSchema.extend({ request: pairingRequestSchema }),
  },
  reject: {
    method: 'POST',
    path: '/api/devices/pairing/reject',
    access: 'session',
    summary: 'Reject a pairing request by its code',
    errors: [404],
    body: z.object({ code: codeSchema, reason: z.string().max(500).optional() }),
    response: messageSchema.extend({ request: pairingRequestSchema }),
  },
  getStatus: {
    method: 'GET',
    path: '/api/devices/pairing/status/:requestId',
    access: 'public',
    summary: 'Get the status of a pairing request',
    params: z.object({ requestId: z.string().min(1).max(200) }),
    response: z.object({
      status: pairingStatusSchema,
      token: z.string().optional().meta({
        description: 'Session of the device, returned once; send it as the cookie `service_session`',
      }),
      approvedAt: timestampSchema.optional(),
      ...expiring,
      reason: z.string().optional(),
      claimedBy: z
        .object({ requesterId: z.string(), fingerprint: z.string().optional() })
        .optional()
        .meta({ description: 'The device that scanned the QR code and receives the token' }),
    }),
  },
  signIn: {
    method: 'POST',
    path: '/api/devices/pairing/sign-in',
    access: 'public',
    summary: 'Sign a browser in with its pairing request once that is approved',
    errors: [404],
    limit: { ...requestLimit, max: 90 },
    bodyLimit: 4 * 1024,
    body: z.object({ requestId: z.string().min(1).max(200) }),
    response: z.object({
      status: pairingStatusSchema,
      signedIn: z.boolean().meta({ description: 'Whether this response signs the browser in' }),
      ...expiring,
      reason: z.string().optional(),
    }),
  },
  listPending: {
    method: 'GET',
    path: '/api/devices/pairing/pending',
    access: 'admin',
    summary: 'List pending pairing requests',
    response: z.object({ requests: z.array(pairingRequestSchema) }),
  },
  deleteExpired: {
    method: 'POST',
    path: '/api/devices/pairing/cleanup',
    access: 'session',
    summary: 'Delete expired pairing requests',
    response: z.object({ removed: z.int() }),
  },
});
