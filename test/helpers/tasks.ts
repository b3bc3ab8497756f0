import type { Client } from '../../src/contract/client.ts';
import type { Task, TaskEvent } from '../../src/contract/task.ts';
import type { AgentAdapter, AgentResult, AgentRun } from '../../src/core/agents/agent-adapter.ts';

/** Follows a task to its end; answers it with all its events. */
export async function follow(client: Client, id: string): Promise<{ task: Task; events: TaskEvent[] }> {
  const events: TaskEvent[] = [];
  for await (const { data } of client.tasks.eventsStream({ params: { id } })) events.push(data);
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
  isChosenByLabels: true,
  faults: [],
  missingConfig: () => undefined,
  checkHealth: async () => ({ healthy: true }),
  execute,
  ...options,
});
