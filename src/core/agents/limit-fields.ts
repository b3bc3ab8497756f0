import type { Task } from '../../contract/task.ts';
import type { AgentAdapter } from './agent-adapter.ts';

const limitFields = ['model', 'provider', 'maxSteps', 'maxBudget', 'maxCostUsd'] as const;

/** Why the agent cannot take the task: a limit that does not hold is worse than none. Undefined where it can. */
export function limitProblem(
  { type, obeysLimits }: Pick<AgentAdapter, 'type' | 'obeysLimits'>,
  task: { [Field in (typeof limitFields)[number]]?: Task[Field] },
): string | undefined {
  const named = limitFields.filter((field) => task[field] !== undefined);
  if (obeysLimits || named.length === 0) return undefined;
  return `The agent "${type}" does not support ${named.join(', ')}: only the built-in agent does`;
}
