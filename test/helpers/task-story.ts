import type { TaskEvent } from '../../src/contract/task.ts';
import { AgentFailure, type AgentResult, type AgentRun } from '../../src/core/agents/agent-adapter.ts';

/** Text that would do harm where it is not shown as text. */
export const hostileText = [
  '<img src=x onerror="document.title=\'harmed\'"><script>document.title="harmed"</script>',
  '[click](javascript:document.title="harmed") ![pixel](https://tracker.example/p.png)',
  'abc\u202edcba\u0000\u200b',
].join('\n\n');

export const answer = `# What changed

The test **passes** now, see [the guide](https://docs.example/guide) and [a trap](javascript:alert(1)).

| file | lines |
| --- | --: |
| sum.ts | 2 |

- [x] fixed
- [ ] documented

\`\`\`ts
const sum = (a: number, b: number) => a + b;
\`\`\`

${hostileText}`;

const progress = (type: string, data: TaskEvent['data'], message = '') => ({
  type: 'progress' as const,
  message,
  data: { type, ...data },
});

/** What an agent does that fixes a test: a thought, calls, a plan, a text and its tokens. */
export function work(run: AgentRun): void {
  const call = (toolCallId: string, name: string, args: TaskEvent['data']) =>
    run.emit(progress('tool:call', { toolCallId, name, arguments: args }, name));
  const result = (toolCallId: string, success: boolean, content: string, more: TaskEvent['data'] = {}) =>
    run.emit(progress('tool:result', { toolCallId, result: { success, content }, ...more }));
  run.emit(progress('session:start', { model: 'scripted' }, 'Started scripted'));
  run.emit(progress('thinking:start', { step: 1, text: '' }));
  run.emit(progress('thinking:end', { step: 1, text: 'The sum is off by one.\nLet me look.' }));
  run.emit({ type: 'output', message: 'I look at the test first.', data: { type: 'text:delta', step: 1 } });
  call('c1', 'read_file', { path: 'test/sum.test.ts' });
  result('c1', true, 'expect(sum(1, 2)).toBe(3)\n'.repeat(20));
  const entries = [
    { text: 'Read the test', status: 'completed' },
    { text: 'Fix the sum', status: 'in_progress' },
    { text: 'Run the tests', status: 'pending' },
  ];
  run.emit(progress('plan', { entries }, 'Plan'));
  call('c2', 'edit_file', { path: 'src/sum.ts', old: 'a + b + 1', new: 'a + b' });
  result('c2', true, 'Edited', {
    diff: [{ path: 'src/sum.ts', oldText: 'return a + b + 1;\n', newText: 'return a + b;\n' }],
  });
  call('c3', 'run_command', { command: `npm test -- --run ${hostileText}` });
  result('c3', false, 'exit code 1\n\u001b[31mFAIL\u001b[0m');
  run.emit({
    type: 'output',
    message: `The test passes now.\n\n${hostileText}`,
    data: { type: 'text:delta', step: 2 },
  });
  run.emit(progress('usage', { input: 1000, output: 234 }));
}

/** An agent that does the work, and ends as the prompt says. */
export async function tell(run: AgentRun): Promise<AgentResult> {
  work(run);
  const { prompt = '' } = run.task;
  if (prompt.includes('fail'))
    throw new AgentFailure('auth', 'bad_key', `The key was refused. ${hostileText}`, { output: 'I tried.' });
  if (prompt.includes('limit'))
    throw new AgentFailure('quota', 'limit', 'The weekly limit is reached', {
      resetsAt: Date.now() + 20 * 60_000,
    });
  if (prompt.includes('hold'))
    return new Promise((_, reject) => {
      run.signal.addEventListener('abort', () => reject(run.signal.reason as Error));
    });
  return {
    output: answer,
    model: 'scripted-1',
    cost: '0.42',
    usage: { inputTokens: 1000, outputTokens: 234, totalTokens: 1234 },
  };
}
