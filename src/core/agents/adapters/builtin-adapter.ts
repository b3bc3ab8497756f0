import type { AgentAdapter, AgentResult, AgentRun } from '../agent-adapter.ts';

export interface BuiltinAdapterOptions {
  /** The missing setting, as the end of a sentence; undefined when a model can be called. */
  missing: () => string | undefined;
  work: (run: AgentRun) => Promise<AgentResult>;
}

/** The agent that runs a model with the tools of svc. */
export const builtinAdapter = ({ missing, work }: BuiltinAdapterOptions): AgentAdapter => ({
  type: 'builtin',
  name: 'Built-in agent',
  description: 'Runs the task with a model of a configured provider and the tools that the policy allows',
  capabilities: ['builtin', 'code', 'files', 'web'],
  needs: [],
  isChosenByLabels: true,
  // Model providers have circuit breakers of their own.
  faults: [],
  missingConfig: missing,
  checkHealth: async () => ({ healthy: true }),
  execute: work,
});
