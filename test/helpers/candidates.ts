import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BestOf } from '../../src/contract/best-of.ts';
import type { CreateTask } from '../../src/contract/task.ts';
import { type AgentAdapter, AgentFailure, type AgentRun } from '../../src/core/agents/agent-adapter.ts';
import type { TestDaemon } from './daemon.ts';
import type { GitRepository } from './git-repository.ts';
import { testAdapter } from './tasks.ts';

/** An agent that writes what the test says, which each run may wait before. */
export const writer = (
  type: string,
  files: Record<string, string>,
  before: (run: AgentRun) => Promise<void> = async () => undefined,
): AgentAdapter =>
  testAdapter(
    async (run) => {
      const workspace = await run.workspace();
      await before(run);
      for (const [name, content] of Object.entries(files)) writeFileSync(join(workspace, name), content);
      return {
        output: `${type} is done`,
        usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
        cost: '0.01',
      };
    },
    { type, worksInWorktree: true, obeysLimits: true, isChosenByLabels: false },
  );

/** An agent that fails. */
export const failing = (type: string, failure: 'agent_error' | 'auth' | 'budget'): AgentAdapter =>
  testAdapter(
    async () => {
      throw new AgentFailure(failure, 'test', `${type} went wrong`, { isFinal: true });
    },
    { type, worksInWorktree: true, obeysLimits: true, isChosenByLabels: false },
  );

/** Creates a task whose candidates work on the repository. */
export async function compete(
  { client }: Pick<TestDaemon, 'client'>,
  repository: GitRepository,
  bestOf: Omit<BestOf, 'pick'> & Partial<BestOf>,
  more: Partial<CreateTask> = {},
): Promise<string> {
  const { task } = await client.tasks.create({
    body: { title: 'Compete', prompt: 'Paint the door', cwd: repository.root, bestOf, ...more },
  });
  return task.id;
}
