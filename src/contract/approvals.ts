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

/** What a call would change in a file. */
export const fileDiffSchema = z
  .object({
    path: z.string().meta({ description: 'The file, as the call names it' }),
    text: z.string().meta({
      description:
        'Unified diff with three lines of context and secrets masked; a new file is compared with `/dev/null`. Empty if nothing changes',
    }),
    created: z.boolean().optional().meta({ description: 'There is no such file yet' }),
    added: z.int().meta({ description: 'Lines' }),
    removed: z.int().meta({ description: 'Lines' }),
    truncated: z
      .boolean()
      .optional()
      .meta({ description: 'The diff is longer than `text`; `added` and `removed` count all of it' }),
    unavailable: z.string().optional().meta({ description: 'Why there is no diff, as a sentence' }),
  })
  .meta({ id: 'FileDiff' });
export type FileDiff = z.output<typeof fileDiffSchema>;

/** The arguments of a call as a person changed them. */
const editedArgumentsSchema = jsonObjectSchema.meta({
  description: 'All arguments of the call; they replace those of the model',
});
/** The content of a file may be among the arguments. */
const ARGUMENTS_LIMIT = 16 * 1024 * 1024;

/** Who decided, and where. */
export const deciderSchema = z
  .object({
    userId: z.string(),
    userName: z.string().optional(),
    via: z.enum(['sign-in', 'owner', 'device', 'none']).meta({
      description:
        'The kind of the session: `sign-in`: a browser or terminal; `owner`: the CLI on this machine; `device`: a paired device; `none`: a program of this machine, while no access key is needed',
    }),
    sessionId: z.string().optional(),
    deviceId: z.string().optional(),
    deviceName: z.string().optional().meta({ description: 'The device, browser or terminal' }),
    signed: z.boolean().meta({ description: 'A registered key of the session signed the decision' }),
    keyId: z.string().optional(),
    through: z.string().optional().meta({
      description: 'The approval whose `allow-always` decided this one too; the signature is on that one',
    }),
  })
  .meta({ id: 'Decider' });
export type Decider = z.output<typeof deciderSchema>;

/** A signature on a decision; `docs/security.md` says of what. */
export const decisionSignatureSchema = z
  .object({
    keyId: z.string().min(1).max(200),
    signedAt: timestampSchema,
    value: z.string().min(1).max(200).meta({
      description: 'Base64: Ed25519, or ECDSA with P-256 and SHA-256 as r and s (IEEE P1363)',
    }),
  })
  .meta({ id: 'DecisionSignature' });
export type DecisionSignature = z.output<typeof decisionSignatureSchema>;

/** A tool call that waits for a decision, with its complete arguments. */
export const approvalSchema = z
  .object({
    id: z.string(),
    status: approvalStatusSchema,
    conversationId: z.string().optional(),
    taskId: z.string().optional(),
    toolName: z.string(),
    agent: z.string().optional().meta({
      description: 'The agent that runs the call itself, whose arguments cannot be changed then',
    }),
    params: jsonObjectSchema.meta({ description: 'The arguments, with secrets masked' }),
    cwd: z.string().meta({ description: 'Working directory of the call; empty where it has none' }),
    securityLevel: dangerSchema,
    reason: z.string().meta({ description: 'Why the call needs a decision' }),
    scripts: z
      .array(z.object({ path: z.string(), sha256: z.string() }))
      .optional()
      .meta({ description: 'The files that the call runs. It is asked for again if one changes' }),
    diff: fileDiffSchema.optional().meta({
      description: 'What the call changes in a file. It is asked for again if the file changes',
    }),
    editedParams: jsonObjectSchema.optional().meta({
      description: 'The arguments that a person put in place of `params`, with secrets masked',
    }),
    alwaysCovers: z.string().optional().meta({ description: 'What `allow-always` covers, in words' }),
    requestedAt: timestampSchema,
    expiresAt: timestampSchema,
    decision: approvalDecisionSchema.optional(),
    decidedAt: timestampSchema.optional(),
    decidedBy: z.string().optional(),
    decider: deciderSchema.optional(),
    binding: z.string().optional().meta({
      description: 'Stands for all that must not change until the call runs; part of a signed decision',
    }),
    needsSignature: z.boolean().optional().meta({
      description: 'Only a signed decision can allow it (`approvals.requireSignature`)',
    }),
    denialReason: z.string().optional().meta({ description: 'Why it was denied, sent to the model' }),
  })
  .meta({ id: 'Approval' });
export type Approval = z.output<typeof approvalSchema>;

/** A decision. */
export const decideApprovalSchema = z
  .object({
    decision: approvalDecisionSchema,
    covers: approvalCoverageSchema
      .default('kind')
      .meta({ description: 'What `allow-always` covers: this kind of call, or every call of the tool' }),
    denialReason: denialReasonSchema
      .optional()
      .meta({ description: 'Why it is denied, for the model; only with `deny`' }),
    signature: decisionSignatureSchema.optional().meta({
      description:
        'One that does not verify counts as none: the decision is refused where one is needed, and is unsigned where not',
    }),
    arguments: editedArgumentsSchema.optional().meta({
      description:
        'Arguments that replace those of the model, whose result names the change; only with `allow-once`. They are checked like those of a new call, and answered with 400 if they are refused',
    }),
  })
  .refine(({ decision, denialReason }) => decision === 'deny' || denialReason === undefined, {
    path: ['denialReason'],
    error: 'Only a denial has a reason',
  })
  .refine(({ decision, arguments: edited }) => decision === 'allow-once' || edited === undefined, {
    path: ['arguments'],
    error: 'Changed arguments can only be allowed once',
  });
export type DecideApproval = z.input<typeof decideApprovalSchema>;

export const decidedApprovalSchema = z.object({
  approval: approvalSchema,
  alsoAllowed: z
    .array(z.string())
    .optional()
    .meta({ description: 'Other pending approvals that `allow-always` covered and decided too' }),
});
export type DecidedApproval = z.output<typeof decidedApprovalSchema>;

export const approvalsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/security/approvals',
    access: 'session',
    summary: 'List approvals',
    query: z.object({
      status: z.enum(['pending', 'all']).default('pending'),
      taskId: z.string().min(1).max(200).optional(),
      limit: limitSchema(50),
    }),
    response: z.object({ approvals: z.array(approvalSchema) }),
  },
  get: {
    method: 'GET',
    path: '/api/security/approvals/:id',
    access: 'session',
    summary: 'Get an approval',
    params: idParamsSchema,
    response: z.object({ approval: approvalSchema }),
  },
  preview: {
    method: 'POST',
    path: '/api/security/approvals/:id/preview',
    access: 'session',
    summary: 'Check changed arguments of a pending call, and show what it would do with them',
    params: idParamsSchema,
    body: z.object({ arguments: editedArgumentsSchema }),
    bodyLimit: ARGUMENTS_LIMIT,
    response: z.object({
      approval: approvalSchema.meta({ description: 'The approval as it would be; it is not changed' }),
    }),
  },
  decide: {
    method: 'POST',
    path: '/api/security/approvals/:id',
    access: 'session',
    summary: 'Approve or deny a tool call',
    params: idParamsSchema,
    body: decideApprovalSchema,
    bodyLimit: ARGUMENTS_LIMIT,
    response: decidedApprovalSchema,
  },
});
