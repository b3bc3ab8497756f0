import { describe, expect, it } from 'vitest';
import type { ListedTask } from '../../../src/contract/task.ts';
import { TaskResources } from '../../../src/core/mcp-server/task-resources.ts';
import { textSource } from '../../../src/core/tasks/output-source.ts';

const ann = { userId: 'user_ann', role: 'user' as const };
const MAX_BYTES = 256 * 1024;

function resources({ output = '', patch = '', tasks = [] as ListedTask[] }) {
  return new TaskResources({
    taskLists: {
      list: async () => ({ tasks, count: tasks.length, total: tasks.length, limit: 20 }),
    },
    taskOutputReader: { open: async () => textSource(output, undefined) },
    worktreeChanges: { patch: async () => Buffer.from(patch) },
  });
}

describe('the resources of tasks', () => {
  it('are the output of each, and the diff of those that changed something', async () => {
    const changes = { base: 'a', head: 'b', branch: 'c', files: 1, additions: 1, deletions: 0 };
    const tasks = [
      { id: 'task_2', title: 'Two', outcome: { success: true, duration: 1, changes } },
      { id: 'task_1', title: 'One' },
    ];
    const its = resources({ tasks });
    expect(await its.recent(ann)).toEqual([
      { id: 'task_2', part: 'output', title: 'Output: Two' },
      { id: 'task_2', part: 'diff', title: 'Changes: Two' },
      { id: 'task_1', part: 'output', title: 'Output: One' },
    ]);
    expect(await its.recentIds(ann)).toEqual(['task_2', 'task_1']);
  });

  it.each(['output', 'diff'] as const)('have only the end of a long %s, and say so', async (part) => {
    const text = `${'x'.repeat(MAX_BYTES)}the end`;
    const its = resources({ output: text, patch: text });
    const read = await its.read(ann, { id: 'task_1', part });
    expect(read.text).toHaveLength(MAX_BYTES);
    expect(read.text.endsWith('the end')).toBe(true);
    expect(read.cutFrom).toBe(text.length);
    const short = resources({ output: 'short', patch: 'short' });
    expect(await short.read(ann, { id: 'task_1', part })).toEqual({ text: 'short' });
  });
});
