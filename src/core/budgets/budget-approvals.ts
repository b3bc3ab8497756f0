import { createHash } from 'node:crypto';
import { AgentFailure, type AgentRun } from '../agents/agent-adapter.ts';
import { decidedByAdmins, EXCEED_BUDGET, notOfCall } from '../approvals/approval-facts.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import type { RunEventInput } from '../../contract/run-events.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import { dayOf } from '../usage/usage-days.ts';
import type { Used } from './budget-counts.ts';
import type { BudgetMarks } from './budget-marks.ts';
import { isOfOneUser } from './budget-match.ts';
import { nextStart, startOf } from './budget-period.ts';
import { describeSpent } from './budget-spent.ts';
import type { MatchedBudget } from './known-budgets.ts';

/** How much of a budget a person adds to it at once. */
const MORE = 0.5;

export interface BudgetApprovalsDeps {
  database: Database;
  approvals: Pick<ApprovalService, 'request' | 'waitForDecision' | 'show'>;
  approvalStore: Pick<ApprovalStore, 'use' | 'findLatest'>;
  marks: BudgetMarks;
  runtime: Pick<Runtime, 'now'>;
}

/** Who needs more of a budget. */
interface Asker {
  runId: string;
  /** A task, a conversation, or what else shares one question. */
  scopeId: string;
  ownerId: string;
  taskId?: string;
  conversationId?: string;
  cwd?: string;
}

/** A turn of a chat, whose question its person sees there. */
export interface AskingTurn {
  runId: string;
  conversationId: string;
  ownerId: string;
  signal: AbortSignal;
  emit: (event: RunEventInput) => void;
}

interface Question {
  row: ApprovalRow;
  reason: string;
  /** Raises the budget, once. */
  use: () => Promise<void>;
}

/** Asks people whether work may use more than a budget. */
export class BudgetApprovals {
  readonly #deps: BudgetApprovalsDeps;
  constructor(deps: BudgetApprovalsDeps) {
    this.#deps = deps;
  }

  /** Resolves once the budget was raised by half; throws a final `AgentFailure` where a person denies it. */
  async ask(
    budget: MatchedBudget,
    granted: Used,
    { task, ownerId, signal, emit }: Pick<AgentRun, 'task' | 'signal' | 'emit'> & { ownerId: string },
  ): Promise<void> {
    const asker = { runId: task.id, scopeId: task.id, taskId: task.id, ownerId, cwd: task.cwd ?? '' };
    const { row, reason, use } = await this.#request(budget, granted, asker);
    if (row.status === 'pending') {
      emit({ type: 'approval_requested', message: reason, data: { approvalId: row.id } });
      const { status } = await this.#deps.approvals.waitForDecision(row.id, signal);
      emit({ type: 'approval_decided', message: `The budget: ${status}`, data: { approvalId: row.id } });
      if (status !== 'approved') throw notRaised(reason);
    }
    await use();
  }

  /** The same in a turn of a chat, where the question looks as that of a tool call does. */
  async askInChat(budget: MatchedBudget, granted: Used, turn: AskingTurn): Promise<void> {
    const { conversationId, signal, emit } = turn;
    const { row, reason, use } = await this.#request(budget, granted, { ...turn, scopeId: conversationId });
    if (row.status === 'pending') {
      const { approvals } = this.#deps;
      const toolCallId = row.call_id;
      const approval = approvals.show(row);
      emit({ type: 'tool:call', data: { toolCallId, name: row.tool, arguments: approval.params } });
      emit({ type: 'approval:requested', data: { toolCallId, approval } });
      const { status } = await approvals.waitForDecision(row.id, signal);
      const isAllowed = status === 'approved';
      const content = isAllowed ? 'The budget was raised' : 'The budget was not raised';
      emit({
        type: 'tool:result',
        data: { toolCallId, result: { success: isAllowed, content, ...(!isAllowed && { refused: true }) } },
      });
      if (!isAllowed) throw notRaised(reason);
    }
    await use();
  }

  /**
   * For a caller that cannot wait: raises the budget where a person has allowed it, else leaves the question and throws an
   * `AgentFailure` that names it. What a person denied is not asked again in the period.
   */
  async leaveQuestion(budget: MatchedBudget, granted: Used, ownerId: string): Promise<void> {
    const scopeId = `models ${ownerId}`;
    const { row, reason, use } = await this.#request(budget, granted, { runId: scopeId, scopeId, ownerId });
    if (row.status === 'denied') throw notRaised(reason);
    if (row.status === 'pending')
      throw new AgentFailure(
        'budget',
        'budget_ask',
        `${reason}. A person can allow more: svc approvals allow ${row.id}`,
        { resetsAt: nextStart(budget.period, dayOf(this.#deps.runtime.now())) },
      );
    await use();
  }

  async #request(budget: MatchedBudget, granted: Used, asker: Asker): Promise<Question> {
    const { database, approvals, approvalStore, marks, runtime } = this.#deps;
    const { runId, scopeId, ownerId, taskId, conversationId, cwd = '' } = asker;
    const day = dayOf(runtime.now());
    const more = { tokens: Math.ceil((budget.tokens ?? 0) * MORE), usd: (budget.usd ?? 0) * MORE };
    const reason = describeSpent(budget, day);
    const { counts, period, tokens, usd } = budget;
    const start = startOf(period, day);
    // The same question after a restart; another one once the budget was raised.
    const facts = JSON.stringify([scopeId, counts, period, tokens, usd, start, granted]);
    const binding = createHash('sha256').update(`${EXCEED_BUDGET} ${facts}`).digest('hex');
    const denied = isAlone(asker) && (await approvalStore.findLatest({ scopeId, binding }));
    const row =
      denied && denied.status === 'denied'
        ? denied
        : await approvals.request({
            run_id: runId,
            call_id: `budget ${granted.tokens}/${granted.usd} ${counts}`.slice(0, 200),
            owner_id: ownerId,
            conversation_id: conversationId ?? null,
            task_id: taskId ?? null,
            scope_id: scopeId,
            tool: EXCEED_BUDGET,
            arguments: JSON.stringify({
              budget: budget.name,
              ...(tokens !== undefined && { tokens, moreTokens: more.tokens }),
              ...(usd !== undefined && { usd, moreUsd: more.usd }),
              ...(!isOfOneUser(budget) && decidedByAdmins),
            }),
            cwd,
            danger: 'medium',
            reason,
            covers: null,
            ...notOfCall,
            binding,
          });
    // In one transaction, so that an approval raises the budget once, also across a restart.
    const use = () =>
      database.write(async (transaction) => {
        if (await approvalStore.use(transaction.db, row.id, runtime.now().toISOString()))
          marks.grant(transaction, budget, day, more);
      });
    return { row, reason, use };
  }
}

/** Whether no one reads what is asked where it is asked. */
const isAlone = ({ taskId, conversationId }: Asker): boolean =>
  taskId === undefined && conversationId === undefined;

const notRaised = (reason: string): AgentFailure =>
  new AgentFailure('budget', 'budget_denied', `${reason}. A person did not raise it`, { isFinal: true });
