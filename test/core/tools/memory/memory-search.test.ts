import { describe, expect, it } from 'vitest';
import type { SecurityMode } from '../../../../src/contract/security-mode.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { memorySearchTool } from '../../../../src/core/tools/memory/memory-search.ts';
import { MAX_OUTPUT } from '../../../../src/core/tools/tool.ts';
import {
  experience,
  foundChunk,
  type Known,
  memoryWith,
  untrusted,
} from '../../chat/recall/recall-fixture.ts';
import { contextIn } from '../guarded-calls.ts';

const scope = { paths: [], mayRead: () => true, isConfined: true };
const now = new Date('2026-03-11T12:00:00Z');

function open(known: Known) {
  const parts = memoryWith(known);
  const tool = memorySearchTool({ ...parts, runtime: { now: () => now } });
  const search = async (
    args: object = {},
    change: { mode?: SecurityMode; isTrusted?: boolean; signal?: AbortSignal } = {},
  ) => {
    const context = contextIn('/tmp', { userId: 'user_ann', ...change });
    const plan = await tool.plan(tool.input.parse({ query: 'doors', ...args }), context);
    expect(plan.access).toEqual({});
    return plan.run(scope);
  };
  return { ...parts, tool, search };
}

describe('memory_search', () => {
  it('memory_search returns file parts and experiences as content of the memory', async () => {
    const { search, asked, tool } = open({
      chunks: { keyword: [foundChunk('doors', { score: 0.5, stale: true })] },
      experiences: [experience('exp_1')],
    });
    expect(await search()).toEqual({
      origin: 'The memory',
      content: `/srv/notes/doors.md:3-7 (score 0.50, the file has changed since)
What doors says

Learned: task_solution, learned from the task task_1, 3 days old, success 1.00 (score 0.80)
Wanted: Do exp_1
What led there:
- read_file notes.txt
- Done with exp_1
`,
    });
    expect(asked).toEqual(['keyword: doors', 'experiences of user_ann: doors']);
    expect(tool).toMatchObject({ isReadOnly: true, danger: 'low' });
  });

  it('memory_search leaves out untrusted content in full mode', async () => {
    const { search } = open({
      experiences: [experience('exp_1', { origin: untrusted }), experience('exp_2')],
    });
    const asking = await search({}, { mode: 'ask' });
    expect(asking.content).toContain('(untrusted: text from an outside source had a part in it)');
    const full = await search({}, { mode: 'full' });
    expect(full.content).toContain('exp_2');
    expect(full.content).not.toContain('exp_1');
  });

  it('memory_search is not available in a run that untrusted text started', async () => {
    const { search, asked } = open({ chunks: { keyword: [foundChunk('doors')] } });
    await expect(search({}, { isTrusted: false })).rejects.toThrow(
      'memory_search is not available in a run that untrusted text started',
    );
    expect(asked).toEqual([]);
  });

  it('memory_search reports when nothing is found and when nothing is indexed', async () => {
    const { search, tool } = open({ chunks: { keyword: [] } });
    expect((await search()).content).toBe('(nothing found)');
    expect(tool.unavailable?.()).toBeUndefined();
    expect(open({ experiences: [experience('exp_1')] }).tool.unavailable?.()).toBeUndefined();
    expect(open({}).tool.unavailable?.()).toBe('nothing is indexed or learned yet: svc memory sync FOLDER');
  });

  it('memory_search truncates long results', async () => {
    const text = 'x'.repeat(8000);
    const { search } = open({
      chunks: { keyword: Array.from({ length: 20 }, (_, n) => foundChunk(`c${n}`, { text })) },
    });
    const { content } = await search({ limit: 20 });
    expect(content.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(content).toContain(`${'x'.repeat(4000)}… (cut, it has 8000 characters)`);
    expect(content).toMatch(/\((\d+) more found, narrow the query to see them\)$/);
  });

  it('memory_search continues without a source that cannot be searched and reports it', async () => {
    const { search, memory, experiences } = open({
      chunks: { keyword: [] },
      experiences: [experience('exp_1')],
    });
    memory.search = () => Promise.reject(new AppError('unavailable', 'The index failed'));
    const { content } = await search();
    expect(content).toContain('exp_1');
    expect(content).toContain('(The index failed)');
    experiences.hasAny = async () => false;
    await expect(search()).rejects.toThrow('The memory could not be searched: The index failed');
  });

  it('memory_search aborts with its run', async () => {
    const { search, memory } = open({ chunks: { keyword: [] } });
    memory.search = () => new Promise(() => undefined);
    const stop = new AbortController();
    const answer = search({}, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
  });
});
