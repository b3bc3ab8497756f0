import { z } from 'zod';
import {
  idParamsSchema,
  jsonObjectSchema,
  limitSchema,
  momentSchema,
  offsetSchema,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';

/** A security event, or the call of a tool. */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    seq: z.int().meta({ description: 'Rising by one: a gap is a missing entry' }),
    timestamp: timestampSchema,
    kind: z.enum(['security', 'tool']),
    tool: z.string().meta({ description: 'The tool, or the name of the event' }),
    arguments: jsonObjectSchema,
    result: z.string(),
    userId: z.string().optional(),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    address: z.string().optional(),
    approved: z.boolean().optional(),
    approvalDecision: z.string().optional(),
    hash: z.string().meta({ description: 'SHA-256 over the entry and the hash of the one before' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntrySchema>;

export const auditQuerySchema = z.object({
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
  tool: z.string().max(200).optional(),
  userId: z.string().max(200).optional(),
  conversationId: z.string().max(200).optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
});
export type AuditQuery = z.output<typeof auditQuerySchema>;

export const auditVerificationSchema = z
  .object({
    valid: z.boolean(),
    entries: z.int(),
    brokenAt: z.int().optional().meta({ description: 'The seq of the first entry that does not fit' }),
    reason: z.string().optional(),
    lastHash: z.string().meta({ description: 'Keep it elsewhere: it shows later that nothing was cut off' }),
  })
  .meta({ id: 'AuditVerification' });
export type AuditVerification = z.output<typeof auditVerificationSchema>;

export const securityRoutes = defineRoutes({
  audit: {
    method: 'GET',
    path: '/api/security/audit',
    access: 'admin',
    summary: 'List the audit log, newest first',
    query: auditQuerySchema,
    response: z.object({
      entries: z.array(auditEntrySchema),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
    }),
  },
  verifyAudit: {
    method: 'GET',
    path: '/api/security/audit/verify',
    access: 'admin',
    summary: 'Check that no audit entry was changed, removed or moved',
    response: auditVerificationSchema,
  },
  auditEntry: {
    method: 'GET',
    path: '/api/security/audit/:id',
    access: 'admin',
    summary: 'Show one audit entry',
    params: idParamsSchema,
    response: z.object({ entry: auditEntrySchema }),
  },
});
