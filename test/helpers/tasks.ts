import { vi } from 'vitest';
import type { Client } from '../../src/contract/client.ts';
import type { FailureClass, Task, TaskEvent } from '../../src/contract/task.ts';
import {
  type AgentAdapter,
  AgentFailure,
  type AgentResult,
  type AgentRun,
} from '../../src/core/agents/agent-adapter.ts';
import { allOf } from './all-of.ts';
import { patienceMs } from './long.ts';

/** Follows a task to its end; answers it with all its events. */
export async function follow(client: Client, id: string): Promise<{ task: Task; events: TaskEvent[] }> {
  const events = await allOf(client.tasks.listEventsStream({ params: { id } }));
  const { task } = await client.tasks.get({ params: { id } });
  return { task, events };
}

/** An agent that does what the test says. */
export const testAdapter = (
  execute: (run: AgentRun) => Promise<AgentResult>,
  options: Partial<AgentAdapter> = {},
): AgentAdapter => ({
  type: 'test',
  name: 'Test',
  description: 'Does what the test says',
  capabilities: ['test'],
  needs: [],
  isChosenByLabels: true,
  faults: [],
  missingConfig: () => undefined,
  checkHealth: async () => ({ healthy: true }),
  execute,
  ...options,
});

/** Waits for a condition that the daemon reaches without further requests; the timeout only ends a broken test. */
export const until = <T>(condition: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(condition, { timeout: patienceMs, interval: 5 });

export interface HeldRun {
  run: AgentRun;
  succeed: (output?: string) => void;
  fail: (error: Error) => void;
}

/** An agent whose runs go on until the test ends them. */
export function heldAdapter(options: Partial<AgentAdapter> = {}) {
  const runs: HeldRun[] = [];
  const adapter = testAdapter(
    (run) =>
      new Promise((resolve, reject) => {
        runs.push({ run, succeed: (output = 'done') => resolve({ output }), fail: reject });
        run.signal.addEventListener('abort', () => reject(run.signal.reason as Error));
      }),
    options,
  );
  /** The run with this index, as soon as it has started. */
  const started = (index: number) =>
    until(() => {
      const run = runs[index];
      if (!run) throw new Error(`Only ${runs.length} runs have started`);
      return run;
    });
  /** The newest run of this task, as soon as it has started: with other tasks about, an index may be that of theirs. */
  const startedFor = (taskId: string) =>
    until(() => {
      const run = runs.findLast(({ run: { task } }) => task.id === taskId);
      if (!run) throw new Error(`No run of task ${taskId} has started`);
      return run;
    });
  return { adapter, runs, started, startedFor };
}

/** An agent that fails every run in the same way. */
export const failingAdapter = (failure: FailureClass, message = 'It went wrong') =>
  testAdapter(async () => {
    throw new AgentFailure(failure, 'test', message);
  });
