import type { ApprovalRow } from '../storage/rows/approvals.ts';

/** The name of a question about more of a budget, where calls have the name of their tool. */
export const EXCEED_BUDGET = 'exceed_budget';

/** What a person decides on, and what must not change until the call runs. */
export type ApprovalFacts = Pick<
  ApprovalRow,
  | 'tool'
  | 'arguments'
  | 'cwd'
  | 'danger'
  | 'reason'
  | 'scripts'
  | 'covers'
  | 'covers_key'
  | 'coverable'
  | 'diff'
  | 'basis'
  | 'context'
  | 'binding'
>;

/** A request for a decision, by the run that waits for it. */
export type NewApproval = ApprovalFacts &
  Pick<
    ApprovalRow,
    'run_id' | 'call_id' | 'owner_id' | 'conversation_id' | 'task_id' | 'scope_id' | 'edited'
  >;

/** What a question has none of that is about no call of a tool. */
export const notOfCall = {
  scripts: null,
  covers_key: null,
  coverable: 0,
  diff: null,
  basis: null,
  edited: null,
  context: null,
} as const satisfies Partial<NewApproval>;

/** Among the arguments of a question that concerns more than its owner: only administrators allow it. */
export const decidedByAdmins = { decidedBy: 'administrators' } as const;

/** Whether only administrators allow what is asked; of calls of tools this is never so. */
export const needsAdmin = ({ tool, arguments: json }: Pick<ApprovalRow, 'tool' | 'arguments'>): boolean =>
  tool === EXCEED_BUDGET &&
  (JSON.parse(json) as { decidedBy?: unknown }).decidedBy === decidedByAdmins.decidedBy;

/** What a person who changes the arguments of a call decides on in place of what was asked. */
export type EditedFacts = Omit<ApprovalFacts, 'tool' | 'arguments' | 'reason'> & Pick<ApprovalRow, 'edited'>;

/** The agent that runs the call itself; undefined where svc does. */
export const agentOf = ({ context }: Pick<ApprovalRow, 'context'>): string | undefined =>
  context === null ? undefined : (JSON.parse(context) as { agent?: string }).agent;
