import type { AgentAdapter } from '../src/core/agents/agent-adapter.ts';

/** An agent that does nothing, so that everything measured is ours; it tells which task reached it. */
export const noopAdapter = (onStart: (taskId: string) => void = () => undefined): AgentAdapter => ({
  type: 'noop',
  name: 'No-op',
  description: 'Does nothing',
  capabilities: [],
  needs: [],
  isChosenByLabels: false,
  faults: [],
  missingConfig: () => undefined,
  checkHealth: async () => ({ healthy: true }),
  execute: async ({ task }) => {
    onStart(task.id);
    return { output: '' };
  },
});
