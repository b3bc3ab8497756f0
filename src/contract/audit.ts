import { z } from 'zod';
import {
  idParamsSchema,
  jsonObjectSchema,
  limitSchema,
  momentSchema,
  offsetSchema,
  pageFields,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';

/** A security event or a tool call. */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    seq: z.int().meta({ description: 'Rises by one; a gap is a missing entry' }),
    timestamp: timestampSchema,
    kind: z.enum(['security', 'tool']),
    tool: z.string().meta({ description: 'Name of the tool or of the event' }),
    arguments: jsonObjectSchema,
    result: z.string(),
    userId: z.string().optional(),
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    callId: z.string().optional().meta({ description: 'Shared by the entries before and after a call' }),
    address: z.string().optional(),
    approved: z.boolean().optional(),
    approvalDecision: z.string().optional(),
    hash: z.string().meta({ description: 'SHA-256 of the entry and the previous hash' }),
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
    decisions: z.int().meta({ description: 'Decisions on tool calls among the entries' }),
    signedDecisions: z
      .int()
      .meta({ description: 'Those that were signed; each signature was verified again' }),
    brokenAt: z.int().optional().meta({ description: '`seq` of the first invalid entry' }),
    reason: z.string().optional(),
    missingArchives: z
      .array(z.string())
      .optional()
      .meta({ description: 'Archive files that were not found, whose entries were not verified' }),
    lastHash: z.string().meta({ description: 'Store it elsewhere to detect later truncation' }),
  })
  .meta({ id: 'AuditVerification' });
export type AuditVerification = z.output<typeof auditVerificationSchema>;

export const auditRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/security/audit',
    access: 'admin',
    summary: 'List audit entries, newest first',
    query: auditQuerySchema,
    response: z.object({
      entries: z.array(auditEntrySchema),
      ...pageFields,
    }),
  },
  verify: {
    method: 'GET',
    path: '/api/security/audit/verify',
    access: 'admin',
    summary: 'Verify the integrity of the audit log',
    response: auditVerificationSchema,
  },
  get: {
    method: 'GET',
    path: '/api/security/audit/:id',
    access: 'admin',
    summary: 'Get an audit entry',
    params: idParamsSchema,
    response: z.object({ entry: auditEntrySchema }),
  },
});
