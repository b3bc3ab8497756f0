import { z } from 'zod';
import { type Approval, approvalSchema, denialReasonSchema } from '../../../contract/approvals.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import { AppError } from '../../errors.ts';
import { cutText } from '../../text/cut-text.ts';
import { questionOf } from '../approval-question.ts';
import { defineServedTool, reads, type ServedTool } from '../served-tool.ts';

const MAX_CALL = 500;
const MAX_DIFF = 20_000;

type Approvals = Pick<ApprovalService, 'list' | 'get' | 'decide'>;

/** Nothing of an approval that the page of a client would need alone. */
const seenSchema = approvalSchema
  .pick({
    id: true,
    status: true,
    taskId: true,
    conversationId: true,
    toolName: true,
    agent: true,
    cwd: true,
    securityLevel: true,
    reason: true,
    requestedAt: true,
    expiresAt: true,
    decision: true,
    needsSignature: true,
  })
  .extend({
    call: z.string().meta({ description: 'The call on one line, as decide_approval takes it' }),
    params: z.record(z.string(), z.unknown()).meta({ description: 'The arguments, with secrets masked' }),
    diff: z.string().optional().meta({ description: 'What the call changes in a file' }),
  });
type Seen = z.output<typeof seenSchema>;

/** The call on one line; what a person cannot see is escaped. */
const callOf = ({ toolName, params }: Pick<Approval, 'toolName' | 'params'>): string =>
  cutText(visibleLine(`${toolName} ${JSON.stringify(params)}`), MAX_CALL);

function toSeen(approval: Approval): Seen {
  const { diff } = approval;
  return {
    ...Object.fromEntries(
      Object.entries(approval).filter(([key, value]) => key in seenSchema.shape && value !== undefined),
    ),
    call: callOf(approval),
    params: approval.params,
    diff: diff && cutText(diff.text, MAX_DIFF),
  } as Seen;
}

const describe = ({ id, status, taskId, call, reason, securityLevel }: Seen): string =>
  `${id} ${status}${taskId === undefined ? '' : ` of ${taskId}`}: ${call}\n  Danger: ${securityLevel}. ${reason}`;

/** `list_approvals`: for people only. */
export const listApprovalsTool = ({ approvals }: { approvals: Approvals }): ServedTool =>
  defineServedTool({
    name: 'list_approvals',
    title: 'List approvals',
    description: 'Lists the tool calls of agents that wait for the decision of a person.',
    hints: reads,
    scopes: undefined,
    input: z.strictObject({
      status: z.enum(['pending', 'all']).default('pending'),
      taskId: z.string().min(1).max(200).optional(),
      limit: z.int().min(1).max(50).default(20),
    }),
    output: z.object({ approvals: z.array(seenSchema) }),
    run: async (query, { caller }) => {
      const seen = (await approvals.list(caller, query)).approvals.map(toSeen);
      return {
        structured: { approvals: seen },
        text: seen.length === 0 ? 'No approvals.' : seen.map(describe).join('\n'),
      };
    },
  });

/** `decide_approval`: for people only; what allows a call is their answer to the question, not the call of the tool. */
export const decideApprovalTool = ({ approvals }: { approvals: Approvals }): ServedTool =>
  defineServedTool({
    name: 'decide_approval',
    title: 'Allow or deny a tool call',
    description:
      'Asks the user whether a waiting tool call of an agent is allowed once, or denies it. Only the user decides: call this when they have decided about exactly this call. Repeat the call as list_approvals shows it.',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    scopes: undefined,
    input: z.strictObject({
      id: z.string().min(1).max(200).meta({ description: 'The id of the approval' }),
      call: z.string().min(1).max(4000).meta({ description: 'The call, exactly as list_approvals shows it' }),
      decision: z.enum(['allow-once', 'deny']),
      denialReason: denialReasonSchema
        .optional()
        .meta({ description: 'Why it is denied, for the agent; only with deny' }),
    }),
    output: z.object({ approval: seenSchema }),
    run: async ({ id, call, decision, denialReason }, { caller, person, ask, signal }) => {
      if (decision !== 'deny' && denialReason !== undefined)
        throw new AppError('validation', 'Only a denial has a reason');
      const asked = await approvals.get(caller, id);
      if (callOf(asked) !== call)
        throw new AppError('validation', `The call is another one. This approval is about: ${callOf(asked)}`);
      if (decision === 'allow-once' && asked.status === 'pending') {
        // A call of a tool is the decision of a model, and at most confirmed by its program.
        if (ask && !asked.needsSignature) {
          const answered = await ask(asked, signal);
          if (answered.status === 'pending') throw notAllowed();
          return answerOf(answered);
        }
        if (person === 'absent')
          throw new AppError(
            'forbidden',
            `This client cannot ask its user, who alone may allow a call. The user can run: svc approvals allow ${id}`,
          );
        if (person === 'unasked') return { confirm: questionOf(asked) };
        if (person === 'refused') throw notAllowed();
      }
      const { approval } = await approvals.decide(caller, id, decision, { denialReason });
      return answerOf(approval);
    },
  });

function answerOf(approval: Approval) {
  const seen = toSeen(approval);
  return { structured: { approval: seen }, text: describe(seen) };
}

const notAllowed = () => new AppError('forbidden', 'The user did not allow the call. It keeps waiting');
