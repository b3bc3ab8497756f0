import { z } from 'zod';
import { idParamsSchema, jsonObjectSchema, limitSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { dangerSchema } from './tools.ts';

export const approvalDecisionSchema = z.enum(['allow-once', 'allow-always', 'deny']);
export type ApprovalDecision = z.output<typeof approvalDecisionSchema>;

/** What `allow-always` covers: the kind of call that the approval names, or every call of its tool. */
export const approvalCoverageSchema = z.enum(['kind', 'tool']);
export type ApprovalCoverage = z.output<typeof approvalCoverageSchema>;

export const approvalStatusSchema = z.enum(['pending', 'approved', 'denied', 'expired']);

/** Tells the model why its call was denied; only with `deny`. */
export const denialReasonSchema = z.string().trim().min(1).max(2000);

/** A tool call that waits for a decision, with its complete arguments. */
export const approvalSchema = z
  .object({
    id: z.string(),
    status: approvalStatusSchema,
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    toolName: z.string(),
    params: jsonObjectSchema.meta({ description: 'The arguments, with secrets masked' }),
    cwd: z.string().meta({ description: 'Working directory of the call' }),
    securityLevel: dangerSchema,
    reason: z.string().meta({ description: 'Why the call needs a decision' }),
    scripts: z
      .array(z.object({ path: z.string(), sha256: z.string() }))
      .optional()
      .meta({ description: 'The files that the call runs. It is asked for again if one changes' }),
    alwaysCovers: z.string().optional().meta({ description: 'What `allow-always` covers, in words' }),
    requestedAt: timestampSchema,
    expiresAt: timestampSchema,
    decision: approvalDecisionSchema.optional(),
    decidedAt: timestampSchema.optional(),
    decidedBy: z.string().optional(),
    denialReason: z.string().optional().meta({ description: 'Why it was denied, sent to the model' }),
  })
  .meta({ id: 'Approval' });
export type Approval = z.output<typeof approvalSchema>;

export const approvalsRoutes = defineRoutes({
  list: {
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
    body: z
      .object({
        decision: approvalDecisionSchema,
        covers: approvalCoverageSchema
          .default('kind')
          .meta({ description: 'What `allow-always` covers: this kind of call, or every call of the tool' }),
        denialReason: denialReasonSchema
          .optional()
          .meta({ description: 'Why it is denied, for the model; only with `deny`' }),
      })
      .refine(({ decision, denialReason }) => decision === 'deny' || denialReason === undefined, {
        path: ['denialReason'],
        error: 'Only a denial has a reason',
      }),
    response: z.object({ approval: approvalSchema }),
  },
});
