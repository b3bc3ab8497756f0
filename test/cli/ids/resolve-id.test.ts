import { describe, expect, it } from 'vitest';
import { resolveId } from '../../../src/cli/ids/resolve-id.ts';
import { ApiError } from '../../../src/contract/client.ts';

const whole = 'task_01a1fc43-0e60-790c-9e24-9dbd16fb7a66';

/** Looks ids up among these, and counts how often. */
function sourceOf(ids: string[]) {
  const asked: string[] = [];
  return {
    asked,
    source: {
      prefix: 'task_',
      noun: 'task',
      listCommand: 'svc tasks ls',
      get: async (id: string) => {
        asked.push(`get ${id}`);
        if (!ids.includes(id)) throw new ApiError(404, { error: 'Task not found' });
      },
      async *list() {
        asked.push('list');
        yield* ids;
      },
    },
  };
}

describe('resolveId', () => {
  it('sends no request for a full ID', async () => {
    const { source, asked } = sourceOf([]);
    expect(await resolveId(whole, source)).toBe(whole);
    expect(asked).toEqual([]);
  });

  it('tries the exact ID before it lists', async () => {
    const { source, asked } = sourceOf(['imported', 'imported-too']);
    expect(await resolveId('imported', source)).toBe('imported');
    expect(asked).toEqual(['get imported']);
  });

  it.each(['task_01a1', '01a1', '16fb7a66', '66'])(
    'resolves the unique beginning or end %s',
    async (text) => {
      const { source } = sourceOf([whole, 'task_02']);
      expect(await resolveId(text, source)).toBe(whole);
    },
  );

  it('lists the candidates of an ambiguous prefix and exits with 6', async () => {
    const { source } = sourceOf(['task_01', 'task_02']);
    await expect(resolveId('task_0', source)).rejects.toMatchObject({
      exitCode: 6,
      message: '"task_0" matches several task IDs: task_01, task_02.',
    });
  });

  it('reports an unknown ID and exits with 5', async () => {
    const { source } = sourceOf([whole]);
    await expect(resolveId('ff', source)).rejects.toMatchObject({
      exitCode: 5,
      message: 'There is no task "ff".',
    });
  });
});
