import { z } from 'zod';
import {
  idParamsSchema,
  jsonObjectSchema,
  limitSchema,
  momentSchema,
  offsetSchema,
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
    allowedTools: toolNames.meta({ description: 'Need no approval; all that runs in the mode allowlist' }),
    blockedTools: toolNames.meta({ description: 'Never run, in no mode' }),
    requireApprovalFor: toolNames.meta({ description: 'Always asked for, except in the mode full' }),
    auditAll: z.boolean().meta({
      description: 'Calls of tools are audited in any case; false leaves their results out of the log',
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
    callId: z.string().optional().meta({ description: 'The same in the entries before and after a call' }),
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
  policy: {
    method: 'GET',
    path: '/api/security/policy',
    access: 'admin',
    summary: 'Show the policy for tools',
    response: policySchema,
  },
  setPolicy: {
    method: 'PUT',
    path: '/api/security/policy',
    access: 'admin',
    summary: 'Change the policy for tools',
    body: policySchema.partial(),
    response: policySchema,
  },
  guards: {
    method: 'GET',
    path: '/api/security/guards',
    access: 'admin',
    summary: 'List the guards that look at every call of a tool',
    response: z.object({ guards: z.array(guardSchema) }),
  },
  setGuard: {
    method: 'PUT',
    path: '/api/security/guards/:name',
    access: 'admin',
    summary: 'Turn a guard on or off',
    params: z.object({ name: guardNameSchema }),
    body: z.object({ enabled: z.boolean() }),
    response: z.object({ guard: guardSchema }),
  },
  approvals: {
    method: 'GET',
    path: '/api/security/approvals',
    access: 'session',
    summary: 'List the calls of tools that wait for a decision',
    query: z.object({ status: z.enum(['pending', 'all']).default('pending'), limit: limitSchema(50) }),
    response: z.object({ approvals: z.array(approvalSchema) }),
  },
  decide: {
    method: 'POST',
    path: '/api/security/approvals/:id',
    access: 'session',
    summary: 'Allow or deny a call of a tool',
    params: idParamsSchema,
    body: z.object({ decision: approvalDecisionSchema }),
    response: z.object({ approval: approvalSchema }),
  },
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
