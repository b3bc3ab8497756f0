import { describe, expect, it } from 'vitest';
import { RunTrace } from '../../../../src/cli/commands/run/run-trace.ts';
import type { TaskEvent } from '../../../../src/contract/task.ts';

let seq = 0;
const event = (type: string, data: TaskEvent['data'], at = 0): TaskEvent => ({
  seq: ++seq,
  id: `evt_${seq}`,
  type: 'progress',
  at: new Date(Date.UTC(2026, 0, 1) + at).toISOString(),
  message: '',
  data: { type, ...data },
});
const step = (n: number) => event('step:start', { step: n, maxSteps: 100, usedTokens: 0, maxBudget: null });
const call = (id: string, name: string, args: TaskEvent['data'], at = 0) =>
  event('tool:call', { toolCallId: id, name, arguments: args }, at);
const result = (id: string, success: boolean, content: string, at = 0) =>
  event('tool:result', { toolCallId: id, result: { success, content } }, at);

describe('the trace of a run', () => {
  it('keeps each tool call with its subject, its time and why it failed', () => {
    const trace = new RunTrace();
    const lines = [
      step(1),
      call('a', 'read_file', { path: 'src/app.ts' }),
      result('a', true, 'one\ntwo', 250),
      step(2),
      call('b', 'edit_file', { path: 'src/app.ts' }, 300),
      result('b', false, 'The text was not found', 310),
    ].flatMap((each) => trace.add(each, 80));
    expect(lines).toEqual([
      '✓ read_file  src/app.ts  2 lines · 0.3 s',
      'Step 2',
      '✗ edit_file  src/app.ts  10 ms',
      '  The text was not found',
    ]);
  });

  it('counts steps, calls, tokens, and each changed file once', () => {
    const trace = new RunTrace();
    for (const each of [
      step(1),
      call('a', 'write_file', { path: 'a.ts' }),
      result('a', true, 'ok'),
      call('b', 'edit_file', { path: 'a.ts' }),
      result('b', true, 'ok'),
      call('c', 'edit_file', { path: 'b.ts' }),
      result('c', false, 'no'),
      event('complete', { model: 'm', provider: 'openai', toolCalls: 3, totalTokens: 12_345 }),
    ])
      trace.add(each, 80);
    expect(trace.summary).toBe('1 step · 3 tool calls · 1 file changed · 12,345 tokens');
  });

  it('is empty for an agent without a model', () => {
    const trace = new RunTrace();
    expect(trace.add({ ...event('x', {}), type: 'output', message: 'hi' }, 80)).toEqual([]);
    expect(trace.summary).toBe('');
  });
});
