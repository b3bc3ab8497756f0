import type { TaskEnvironment } from '../../contract/task-environment.ts';
import { inheritedEnvironment } from '../processes/process-group.ts';
import type { AgentRun } from './agent-adapter.ts';

export interface CommandVariableDeps {
  /** The daemon's environment; only variables on an allow list are passed on. */
  env: Record<string, string | undefined>;
  /** The variables that every command gets. */
  configured: () => TaskEnvironment;
}

/** The environment of the commands of a task: its own variables over those of the setting over those of the daemon. */
export const commandVariables = (
  { env, configured }: CommandVariableDeps,
  run: Pick<AgentRun, 'task' | 'environment' | 'telemetry'>,
): Record<string, string | undefined> => ({
  ...inheritedEnvironment(env),
  ...run.telemetry?.variables(),
  ...configured(),
  ...run.environment(),
  SVC_TASK_ID: run.task.id,
});
