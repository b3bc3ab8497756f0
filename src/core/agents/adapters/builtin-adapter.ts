import type { AgentAdapter, AgentResult, AgentRun } from '../agent-adapter.ts';

export interface BuiltinAdapterOptions {
  /** What is missing before a model can be asked, as the end of a sentence; undefined when nothing is. */
  missing: () => string | undefined;
  work: (run: AgentRun) => Promise<AgentResult>;
}

/** Lets a model do the task with the tools of svc. */
export const builtinAdapter = ({ missing, work }: BuiltinAdapterOptions): AgentAdapter => ({
  type: 'builtin',
  name: 'Built-in agent',
  description: 'Lets a model of a configured provider do the task, with tools that the policy allows',
  capabilities: ['builtin', 'code', 'files', 'web'],
  needs: [],
  isChosenByLabels: true,
  // The providers have breakers of their own.
  faults: [],
  missingConfig: missing,
  checkHealth: async () => ({ healthy: true }),
  execute: work,
});
