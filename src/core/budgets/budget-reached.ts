import type { AgentFailure } from '../agents/agent-adapter.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';

/** A budget is used up: trying again does not help before its next period. */
export class BudgetReached extends AppError {
  constructor(message: string, retryAfterMs: number | undefined) {
    super('rate_limited', message, {
      isLasting: true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}

/** The failure of a run as an error for callers of a model. */
export const toBudgetReached = (
  { message, resetsAt }: Pick<AgentFailure, 'message' | 'resetsAt'>,
  { now }: Pick<Runtime, 'now'>,
): BudgetReached =>
  new BudgetReached(message, resetsAt === undefined ? undefined : resetsAt - now().getTime());
