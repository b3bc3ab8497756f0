import type { Approval, DecidedApproval } from '../../contract/approvals.ts';
import { type ApprovalService, toApproval } from '../approvals/approval-service.ts';
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
    const row = await this.#deps.approvals.requirePending(caller, id);
    // It can only be allowed once.
    return toApproval({ ...row, ...(await this.#review(row, args)), covers: null });
  }

  /** Allows the call once with these arguments; arguments that are refused leave it pending. */
  async allow(caller: Caller, id: string, args: Record<string, unknown>): Promise<DecidedApproval> {
    const { approvals } = this.#deps;
    const row = await approvals.requirePending(caller, id);
    const { arguments: _shown, reason: _reason, tool: _tool, ...facts } = await this.#review(row, args);
    return approvals.decide(caller, id, 'allow-once', { edit: { ...facts, edited: storeEdited(args) } });
  }

  async #review(row: ApprovalRow, args: Record<string, unknown>) {
    const { review } = this.#deps;
    if (hasMasked(row.arguments) && hasMasked(JSON.stringify(args)))
      throw new AppError(
        'validation',
        'A value is still masked (••••). Replace it with the secret itself, or leave the arguments as they are',
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
