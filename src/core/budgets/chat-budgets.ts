import { AgentFailure } from '../agents/agent-adapter.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { Runtime } from '../runtime.ts';
import type { ConversationRow } from '../storage/rows/conversations.ts';
import type { UsedBy } from '../usage/usage-record.ts';
import type { AskingTurn, BudgetApprovals } from './budget-approvals.ts';
import { toBudgetReached } from './budget-reached.ts';
import type { Budgets } from './budgets.ts';

export interface ChatBudgetsDeps {
  budgets: Pick<Budgets, 'begin'>;
  budgetApprovals: Pick<BudgetApprovals, 'askInChat'>;
  approvals: Pick<ApprovalService, 'expireForRun'>;
  runtime: Pick<Runtime, 'now'>;
}

/** The budgets of chats, which are looked at before each call of a model. */
export class ChatBudgets {
  readonly #deps: ChatBudgetsDeps;
  constructor(deps: ChatBudgetsDeps) {
    this.#deps = deps;
  }

  /** Resolves once the turn may go on; throws an `AgentFailure` where a budget is used up and no person raises it. */
  async pass(usedBy: UsedBy, turn: AskingTurn): Promise<void> {
    const { budgets, budgetApprovals } = this.#deps;
    const budget = await budgets.begin(usedBy, {
      ask: (...question) => budgetApprovals.askInChat(...question, turn),
    });
    budget.end();
  }

  /** The same for an answer without events, whose question is in the list of approvals only; throws a `BudgetReached`. */
  async passUnseen(
    usedBy: UsedBy,
    { id: conversationId, owner_id: ownerId }: Pick<ConversationRow, 'id' | 'owner_id'>,
    turn: Pick<AskingTurn, 'runId' | 'signal'>,
  ): Promise<void> {
    const unseen = { ...turn, conversationId, ownerId, emit: () => undefined };
    try {
      await this.pass(usedBy, unseen);
    } catch (error) {
      // Where the client left, no one waits for the decision.
      await this.#deps.approvals.expireForRun(turn.runId);
      throw error instanceof AgentFailure ? toBudgetReached(error, this.#deps.runtime) : error;
    }
  }
}
