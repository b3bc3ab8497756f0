import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentAdapter,
  AgentFailure,
  type AgentResult,
  type AgentRun,
} from '../../../src/core/agents/agent-adapter.ts';
import type { KillSwitch } from './kill-points.ts';

const plans: Record<string, (run: AgentRun) => Promise<AgentResult>> = {
  ok: async () => ({ output: 'done' }),
  /** Takes its time and tells how far it is. */
  slow: async (run) => {
    const ms = Number(run.task.prompt ?? 40);
    for (const step of [1, 2, 3]) {
      await delay(ms / 3, undefined, { signal: run.signal });
      run.emit({ type: 'progress', message: `Step ${step} of 3` });
    }
    return { output: 'done slowly' };
  },
  /** Fails as often as its prompt says, then works. */
  flaky: async ({ task, attempt }) => {
    if (attempt <= Number(task.prompt ?? 1)) throw new AgentFailure('network', 'reset', 'The line broke');
    return { output: 'done at last' };
  },
  /** Never works, although each time it looks as if it might. */
  hopeless: async () => {
    throw new AgentFailure('agent_error', 'exit_1', 'It did not work');
  },
  broken: async () => {
    throw new AgentFailure('auth', 'http_401', 'The key is wrong');
  },
  /** Does not listen when it is told to stop, and comes with a result too late. */
  stubborn: async ({ task }) => {
    await delay(Number(task.prompt ?? 60));
    return { output: 'done anyway' };
  },
};

/** Agents of which a task's title says what they do. */
export const rigAdapters = (killSwitch: KillSwitch): AgentAdapter[] =>
  Object.entries(plans).map(([type, plan]) => ({
    type,
    name: type,
    description: 'An agent of the crash rig',
    capabilities: [],
    needs: [],
    isChosenByLabels: false,
    faults: [],
    missingConfig: () => undefined,
    checkHealth: async () => ({ healthy: true }),
    execute: async (run) => {
      killSwitch.pass('execute-start');
      try {
        return await plan(run);
      } finally {
        killSwitch.pass('execute-end');
      }
    },
  }));
