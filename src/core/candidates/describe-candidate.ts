import type { Choice } from '../../contract/best-of.ts';
import type { Candidate, Task, TaskResult } from '../../contract/task.ts';
import { formatUsd } from '../text/format-usd.ts';

/** What people compare of a candidate. */
export function describeCandidate(task: Task, choice: Choice | undefined): Candidate {
  const { id, status, result, error, agentType, assignedAgent } = task;
  const agent = agentType ?? assignedAgent;
  const isWinner = choice?.candidateId === id;
  const reason = isWinner ? choice.reason : error?.message;
  const { changes, verification, usage, cost, duration } = result ?? {};
  return {
    taskId: id,
    ...(agent !== undefined && { agent }),
    status,
    ...(verification && { verification: verification.status }),
    ...(changes && { files: changes.files, additions: changes.additions, deletions: changes.deletions }),
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
    ...(duration !== undefined && { durationMs: Math.round(duration) }),
    isWinner,
    ...(reason !== undefined && { reason }),
  };
}

/** What was used: the tokens of a candidate or of a model that compared them, and what they cost. */
export type Spending = Pick<TaskResult, 'usage' | 'cost'>;

/** What was used in all. A cost that is unknown in part is left out. */
export function totalOf(spendings: readonly Spending[]): Spending {
  const used = spendings.flatMap(({ usage }) => usage ?? []);
  const paid = spendings.filter(({ usage, cost }) => usage !== undefined || cost !== undefined);
  const costs = paid.flatMap(({ cost }) => cost ?? []);
  const add = (field: keyof (typeof used)[number]) => used.reduce((all, usage) => all + usage[field], 0);
  return {
    ...(used.length > 0 && {
      usage: {
        inputTokens: add('inputTokens'),
        outputTokens: add('outputTokens'),
        totalTokens: add('totalTokens'),
      },
    }),
    ...(costs.length > 0 &&
      costs.length === paid.length && {
        cost: formatUsd(costs.reduce((all, cost) => all + Number(cost), 0)),
      }),
  };
}

/** Milliseconds from the start of the first candidate to the end of the last. */
export function durationOf(candidates: readonly Task[]): number {
  const starts = candidates.flatMap(({ startedAt }) => (startedAt ? [Date.parse(startedAt)] : []));
  const ends = candidates.flatMap(({ completedAt }) => (completedAt ? [Date.parse(completedAt)] : []));
  return starts.length === 0 ? 0 : Math.max(0, Math.max(...ends) - Math.min(...starts));
}
