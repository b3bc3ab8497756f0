import type { CreateTask } from '../../contract/task.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { AppError } from '../errors.ts';
import { tooSmall } from './candidate-share.ts';

type Checked = Pick<
  CreateTask,
  | 'bestOf'
  | 'assignedAgent'
  | 'cwd'
  | 'worktree'
  | 'continues'
  | 'model'
  | 'provider'
  | 'maxSteps'
  | 'maxBudget'
  | 'maxCostUsd'
  | 'maxTimeMs'
>;

/** Throws an `AppError` where candidates of the task could not work side by side, or not within its limits. */
export function checkBestOf(registry: Pick<AgentRegistry, 'limitProblem'>, task: Checked): void {
  const { bestOf, assignedAgent, cwd, worktree, continues } = task;
  if (!bestOf) return;
  const { agents, count } = bestOf;
  if (agents && assignedAgent !== undefined)
    throw invalid('bestOf.agents', 'Name the agents in `bestOf.agents` or in `assignedAgent`, not in both');
  if (cwd === undefined)
    throw invalid('cwd', 'Candidates need `cwd`, a directory in a Git repository: each works in a worktree');
  if (worktree === false)
    throw invalid('worktree', 'Candidates cannot work in the directory itself: each needs a worktree');
  if (continues !== undefined)
    throw invalid('bestOf', 'A task that continues another one cannot have candidates');
  for (const agent of new Set(agents)) {
    const problem = registry.limitProblem({ ...task, assignedAgent: agent });
    if (problem !== undefined) throw invalid('bestOf.agents', problem);
  }
  const limit = tooSmall(task, count);
  if (limit !== undefined)
    throw invalid(limit, `Too little for ${count} candidates, each of which gets an equal part`);
}

const invalid = (path: string, message: string) =>
  new AppError('validation', message, { details: [{ path, message }] });
