import type { ApprovalDecision } from '../../../src/contract/approvals.ts';
import type { AgentPlan } from './agent-plans.ts';

/** A plan that was given to the daemon, and what it has said of it. */
export interface PlannedWork {
  plan: AgentPlan;
  /** How often a client sent it; each time is a run of its own. */
  sends: number;
  /** Of the plan's task, once it was acknowledged. */
  taskId?: string;
  conversationId?: string;
  /** Of the answer to a message, once the message was acknowledged. */
  messageId?: string;
}

/** What the daemon has promised of the work of models. */
export class AgentLedger {
  /** By the names of the plans. */
  readonly works = new Map<string, PlannedWork>();
  /** Plans whose promises were not yet held against the daemon. */
  readonly unchecked = new Set<string>();
  /** Acknowledged decisions, by approval. */
  readonly decisions = new Map<string, ApprovalDecision>();
  /** Runs of tools for which there was no intent when they came. */
  readonly unannounced: string[] = [];

  add(plan: AgentPlan, conversationId?: string): PlannedWork {
    const work: PlannedWork = { plan, sends: 0, ...(conversationId !== undefined && { conversationId }) };
    this.works.set(plan.name, work);
    this.unchecked.add(plan.name);
    return work;
  }
}
