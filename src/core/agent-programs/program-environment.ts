import type { AgentRun } from '../agents/agent-adapter.ts';
import { commandVariables } from '../agents/command-variables.ts';
import { inheritedEnvironment } from '../processes/process-group.ts';
import type { ConfiguredAgent } from './configured-agents.ts';

type Variables = Record<string, string | undefined>;

export interface EnvironmentDeps {
  /** The daemon's environment; only variables on allow lists are passed on. */
  env: Variables;
  /** The run, whose task may have variables of its own. */
  run?: Pick<AgentRun, 'task' | 'environment' | 'telemetry'>;
}

/** The environment of an agent: where its login is, what svc fixes, the settings, and the variables of the task. */
export function programEnvironment(
  { preset, env: configured }: ConfiguredAgent,
  { env, run }: EnvironmentDeps,
): Variables {
  const passed = Object.fromEntries(preset.passes.map((name) => [name, env[name]]));
  const own = run ? commandVariables({ env, configured: () => configured }, run) : inheritedEnvironment(env);
  return { ...passed, ...preset.env, ...own, ...(!run && configured) };
}
