import { z } from 'zod';
import {
  idParamsSchema,
  jsonObjectSchema,
  messageSchema,
  pageFields,
  pageQuerySchema,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';
import { nameSchema, roleSchema } from './users.ts';

const publicKeySchema = z.string().meta({ description: 'Ed25519, base64' });
const fingerprintSchema = z
  .string()
  .meta({ description: '`sha256:` and the hash of the public key in hexadecimal' });

export const identitySchema = z
  .object({
    deviceId: z.string().meta({ description: 'SHA-256 of the public key in base32, grouped' }),
    publicKey: publicKeySchema,
    fingerprint: fingerprintSchema,
  })
  .meta({ id: 'DeviceIdentity' });
export type DeviceIdentity = z.output<typeof identitySchema>;

/** The signature covers `service/attest/v1`, a zero byte and the canonical JSON (RFC 8785) of all fields except itself. */
export const attestationSchema = z
  .object({
    deviceId: z.string(),
    publicKey: publicKeySchema,
    attestation: z.object({
      timestamp: timestampSchema,
      nonce: z.string(),
      data: jsonObjectSchema,
      signature: z.string().meta({ description: 'Ed25519, base64' }),
    }),
  })
  .meta({ id: 'Attestation' });
export type Attestation = z.output<typeof attestationSchema>;

export const verifyAttestationSchema = z.object({
  attestation: jsonObjectSchema,
  maxAgeMs: z.int().min(1).max(3_600_000).default(60_000),
});

export const verificationSchema = z
  .object({
    valid: z.boolean(),
    trusted: z.boolean().meta({ description: 'Signed by this daemon or by a paired device' }),
    deviceId: z.string().nullable(),
    reason: z.string().optional(),
  })
  .meta({ id: 'Verification' });
export type Verification = z.output<typeof verificationSchema>;

export const deviceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    userId: z.string(),
    role: roleSchema.meta({ description: 'Maximum role of the device' }),
    limited: z.boolean().meta({
      description: 'Whether it may only look, decide on approvals and cancel tasks',
    }),
    fingerprint: fingerprintSchema.optional(),
    createdAt: timestampSchema,
    lastSeenAt: timestampSchema.optional(),
    current: z.boolean(),
  })
  .meta({ id: 'Device' });
export type Device = z.output<typeof deviceSchema>;

export const devicesRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/devices',
    access: 'session',
    summary: 'List paired devices, newest first',
    query: pageQuerySchema,
    response: z.object({ devices: z.array(deviceSchema), ...pageFields }),
  },
  update: {
    method: 'PATCH',
    path: '/api/devices/:id',
    access: 'session',
    summary: 'Rename a paired device',
    params: idParamsSchema,
    body: z.object({ name: nameSchema }),
    response: z.object({ device: deviceSchema }),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/devices/:id',
    access: 'session',
    summary: 'Revoke a paired device and its sessions',
    params: idParamsSchema,
    response: messageSchema,
  },
  getIdentity: {
    method: 'GET',
    path: '/api/devices/identity',
    access: 'session',
    summary: 'Get the identity of this daemon',
    response: identitySchema,
  },
  attest: {
    method: 'POST',
    path: '/api/devices/attest',
    access: 'session',
    summary: 'Create an attestation signed by this daemon',
    body: z.object({ data: jsonObjectSchema }),
    response: z.object({ attestation: attestationSchema }),
  },
  verify: {
    method: 'POST',
    path: '/api/devices/verify',
    access: 'session',
    summary: 'Verify an attestation; each is accepted once',
    body: verifyAttestationSchema,
    response: verificationSchema,
  },
});
