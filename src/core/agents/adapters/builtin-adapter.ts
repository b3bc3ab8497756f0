import type { AgentAdapter, AgentAnswer, AgentRun, RepairOrder } from '../agent-adapter.ts';

export interface BuiltinAdapterOptions {
  /** The missing setting, as the end of a sentence; undefined when a model can be called. */
  missing: () => string | undefined;
  work: (run: AgentRun, repair?: RepairOrder) => Promise<AgentAnswer>;
  check: NonNullable<AgentAdapter['check']>;
}

/** The agent that runs a model with the tools of svc. */
export const builtinAdapter = ({ missing, work, check }: BuiltinAdapterOptions): AgentAdapter => ({
  type: 'builtin',
  name: 'Built-in agent',
  description: 'Runs the task with a model of a configured provider and the tools that the policy allows',
  capabilities: ['builtin', 'code', 'files', 'web'],
  needs: [],
  isChosenByLabels: true,
  // Model providers have circuit breakers of their own.
  faults: [],
  obeysLimits: true,
  countsCalls: true,
  missingConfig: missing,
  checkHealth: async () => ({ healthy: true }),
  execute: (run) => work(run),
  repair: work,
  check,
});
