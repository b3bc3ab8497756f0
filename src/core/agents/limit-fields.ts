import type { Task } from '../../contract/task.ts';
import type { AgentAdapter } from './agent-adapter.ts';

const limitFields = ['model', 'provider', 'maxSteps', 'maxBudget', 'maxCostUsd'] as const;

/** Why the agent cannot take the task: a limit that does not hold is worse than none. Undefined where it can. */
export function limitProblem(
  { type, obeysLimits, driver }: Pick<AgentAdapter, 'type' | 'obeysLimits' | 'driver'>,
  task: { [Field in (typeof limitFields)[number]]?: Task[Field] },
): string | undefined {
  if (driver !== undefined && task.provider !== undefined)
    return `The agent "${type}" has a provider of its own, so provider cannot be set. Set model alone, or use the built-in agent`;
  const named = limitFields.filter((field) => task[field] !== undefined);
  if (obeysLimits || named.length === 0) return undefined;
  return `The agent "${type}" does not support ${named.join(', ')}: only the built-in agent and coding agents do`;
}
