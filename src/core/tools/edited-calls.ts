import type { Approval, DecidedApproval, DecisionSignature } from '../../contract/approvals.ts';
import { isPublishing } from '../../contract/publishing.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import { agentOf, type ApprovalFacts } from '../approvals/approval-facts.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import { type CallReview, Refusal, scopeOf } from './call-review.ts';
import { storeEdited } from './edited-arguments.ts';
import { hasMasked } from './mask-secrets.ts';
import { contextOf } from './stored-context.ts';
import { isToolFailure } from './tool.ts';

export interface EditedCallsDeps {
  approvals: ApprovalService;
  review: CallReview;
}

/**
 * Decides pending calls with arguments that a person changed. They pass the same review as a call of the model, under the
 * rights of the run that asked; the gate reviews them again when the call runs.
 */
export class EditedCalls {
  readonly #deps: EditedCallsDeps;
  constructor(deps: EditedCallsDeps) {
    this.#deps = deps;
  }

  /** The approval as it would be with these arguments; changes nothing. */
  async preview(caller: Caller, id: string, args: Record<string, unknown>): Promise<Approval> {
    const { approvals } = this.#deps;
    const row = await approvals.requirePending(caller, id);
    return approvals.show(changedRow(row, await this.#review(row, args)));
  }

  /** Allows the call once with these arguments; arguments that are refused leave it pending. */
  async allow(
    caller: Caller,
    id: string,
    args: Record<string, unknown>,
    signature?: DecisionSignature,
  ): Promise<DecidedApproval> {
    const { approvals } = this.#deps;
    const row = await approvals.requirePending(caller, id);
    const reviewed = await this.#review(row, args);
    const { arguments: _shown, reason: _reason, tool: _tool, ...facts } = reviewed;
    const edit = { facts: { ...facts, edited: storeEdited(args) }, shown: changedRow(row, reviewed) };
    return approvals.decide(caller, id, 'allow-once', { edit, signature });
  }

  async #review(row: ApprovalRow, args: Record<string, unknown>) {
    const { review } = this.#deps;
    if (hasMasked(row.arguments) && hasMasked(JSON.stringify(args)))
      throw new AppError(
        'validation',
        'A value is still masked (••••). Replace it with the secret itself, or leave the arguments as they are',
      );
    if (isPublishing({ toolName: row.tool }))
      throw new AppError(
        'validation',
        'What is pushed cannot be changed here. Deny it, and request it again with other options',
      );
    const agent = agentOf(row);
    if (agent !== undefined)
      throw new AppError(
        'validation',
        `${agent} runs this call itself, so its arguments cannot be changed. Deny the call, with a reason that says what to do instead`,
      );
    const context = contextOf(row, new AbortController().signal);
    if (!context)
      throw new AppError(
        'validation',
        'An earlier version of svc asked for this approval, so its arguments cannot be changed. Allow or deny it',
      );
    try {
      const reviewed = await review.review(context, { name: row.tool, args });
      const decision = await review.decide(reviewed, scopeOf(context) ?? row.scope_id);
      if (decision.kind === 'refuse') throw new Refusal(decision.reason);
      const reason = decision.kind === 'ask' ? decision.reason : row.reason;
      return review.factsOf(reviewed, reason, await review.preview(reviewed));
    } catch (error) {
      if (error instanceof Refusal || isToolFailure(error)) throw new AppError('validation', error.message);
      throw error;
    }
  }
}

/** The approval as it would be with changed arguments, which can only be allowed once. */
const changedRow = (row: ApprovalRow, reviewed: ApprovalFacts): ApprovalRow => ({
  ...row,
  ...reviewed,
  covers: null,
});
