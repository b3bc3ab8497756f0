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
import { approvalDecisionSchema, approvalSchema } from './approvals.ts';
import { defineRoutes } from './route.ts';
import { securityModeSchema } from './security-mode.ts';

const toolNames = z
  .array(
    z
      .string()
      .trim()
      .max(200)
      .regex(/^[\w.:-]+\*?$/, 'Expected the name of a tool, or the beginning of one and a *'),
  )
  .max(500);

export const policySchema = z
  .object({
    defaultMode: securityModeSchema,
    allowedTools: toolNames.meta({
      description: 'Tools that need no approval; the only tools in mode `allowlist`',
    }),
    blockedTools: toolNames.meta({ description: 'Tools that never run, in any mode' }),
    requireApprovalFor: toolNames.meta({
      description: 'Tools that always need approval, except in mode `full`',
    }),
    auditAll: z.boolean().meta({
      description: 'Tool calls are always audited; false omits their results',
    }),
  })
  .meta({ id: 'Policy' });
export type Policy = z.output<typeof policySchema>;

export const guardNameSchema = z.enum([
  'path-traversal',
  'shell-injection',
  'secret-exfiltration',
  'rate-limit',
]);
export type GuardName = z.output<typeof guardNameSchema>;

export const guardSchema = z
  .object({ name: guardNameSchema, enabled: z.boolean(), description: z.string() })
  .meta({ id: 'Guard' });
export type Guard = z.output<typeof guardSchema>;

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
    brokenAt: z.int().optional().meta({ description: '`seq` of the first invalid entry' }),
    reason: z.string().optional(),
    lastHash: z.string().meta({ description: 'Store it elsewhere to detect later truncation' }),
  })
  .meta({ id: 'AuditVerification' });
export type AuditVerification = z.output<typeof auditVerificationSchema>;

export const securityRoutes = defineRoutes({
  policy: {
    method: 'GET',
    path: '/api/security/policy',
    access: 'admin',
    summary: 'Get the tool policy',
    response: policySchema,
  },
  setPolicy: {
    method: 'PUT',
    path: '/api/security/policy',
    access: 'admin',
    summary: 'Update the tool policy',
    body: policySchema.partial(),
    response: policySchema,
  },
  guards: {
    method: 'GET',
    path: '/api/security/guards',
    access: 'admin',
    summary: 'List guards',
    response: z.object({ guards: z.array(guardSchema) }),
  },
  setGuard: {
    method: 'PUT',
    path: '/api/security/guards/:name',
    access: 'admin',
    summary: 'Enable or disable a guard',
    params: z.object({ name: guardNameSchema }),
    body: z.object({ enabled: z.boolean() }),
    response: z.object({ guard: guardSchema }),
  },
  approvals: {
    method: 'GET',
    path: '/api/security/approvals',
    access: 'session',
    summary: 'List approvals',
    query: z.object({ status: z.enum(['pending', 'all']).default('pending'), limit: limitSchema(50) }),
    response: z.object({ approvals: z.array(approvalSchema) }),
  },
  decide: {
    method: 'POST',
    path: '/api/security/approvals/:id',
    access: 'session',
    summary: 'Approve or deny a tool call',
    params: idParamsSchema,
    body: z.object({ decision: approvalDecisionSchema }),
    response: z.object({ approval: approvalSchema }),
  },
  audit: {
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
  verifyAudit: {
    method: 'GET',
    path: '/api/security/audit/verify',
    access: 'admin',
    summary: 'Verify the integrity of the audit log',
    response: auditVerificationSchema,
  },
  auditEntry: {
    method: 'GET',
    path: '/api/security/audit/:id',
    access: 'admin',
    summary: 'Get an audit entry',
    params: idParamsSchema,
    response: z.object({ entry: auditEntrySchema }),
  },
});
