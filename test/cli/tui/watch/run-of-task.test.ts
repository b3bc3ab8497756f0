import { describe, expect, it } from 'vitest';
import { lineText } from '../../../../src/cli/tui/parts/line.ts';
import type { RunState } from '../../../../src/cli/tui/parts/run-state.ts';
import { TranscriptLayout } from '../../../../src/cli/tui/parts/transcript-layout.ts';
import { askedRun, concludeRun, tellRun } from '../../../../src/cli/tui/watch/run-of-task.ts';
import type { Task, TaskEvent } from '../../../../src/contract/task.ts';

type Told = [type: TaskEvent['type'], message: string, data?: TaskEvent['data']];

const event = ([type, message, data = {}]: Told, seq: number): TaskEvent => ({
  seq,
  id: `evt_${seq}`,
  type,
  at: new Date(seq * 1000).toISOString(),
  message,
  data,
});
const runOf = (...told: Told[]) => told.map(event).reduce(tellRun, askedRun({ title: 'Fix it' }));
const shown = ({ entries }: RunState) =>
  new TranscriptLayout()
    .lines(entries, 60, { areResultsShown: false, isThinkingShown: false })
    .map(lineText)
    .filter((line) => line !== '');

const call: Told = [
  'progress',
  'run_command npm test',
  { type: 'tool:call', toolCallId: '1', name: 'run_command', arguments: { command: 'npm test' } },
];
const request: Told = [
  'approval_requested',
  'Approval needed',
  { approvalId: 'appr_1', toolName: 'run_command', params: {}, cwd: '/', reason: '', expiresAt: '' },
];

describe('what a task does, as it is shown', () => {
  it('is what it was asked, what its program wrote as it was written, and how it ended', () => {
    const run = runOf(
      ['created', 'Created'],
      ['queued', 'Queued'],
      ['started', '', { attempt: 1, maxAttempts: 3, agent: 'command' }],
      ['output', '# no *Markdown*\n  one', { stream: 'stdout' }],
      ['output', ' line\n', { stream: 'stdout' }],
      ['output', 'a warning\n', { stream: 'stderr' }],
      ['retry_scheduled', 'It crashed', { delayMs: 1000 }],
      ['failed', 'It crashed again'],
    );
    expect(shown(run)).toEqual([
      '› Fix it',
      '· attempt 1 of 3 by command',
      '# no *Markdown*',
      '  one line',
      'a warning',
      '! retry in 1.0 s because: It crashed',
      '! failed: It crashed again',
    ]);
    expect(run.phase).toBe('failed');
  });

  it('is text as Markdown, and each call of a tool in one row', () => {
    const run = runOf(
      ['started', '', { attempt: 1, maxAttempts: 1, agent: 'builtin' }],
      ['output', 'I look at **it', { stream: 'text' }],
      ['output', '**.', { stream: 'text' }],
      call,
      [
        'progress',
        'run_command: ok',
        { type: 'tool:result', toolCallId: '1', result: { success: true, content: 'one\ntwo' } },
      ],
      ['completed', 'Completed'],
    );
    expect(shown(run).slice(2)).toEqual(['I look at it.', '✓ run_command  npm test  2 lines · 1.0 s']);
    expect(run.phase).toBe('done');
  });

  it('shows which call waits for a person', () => {
    expect(shown(runOf(call, request)).at(-1)).toBe('? run_command  npm test  waiting for you');
    const decided: Told = ['approval_decided', '', { approvalId: 'appr_1', decision: 'deny' }];
    expect(shown(runOf(call, request, decided)).slice(-2)).toEqual(['● run_command  npm test', '· denied']);
  });

  it('leaves steps that it does not know to their message', () => {
    const run = runOf(
      ['progress', 'half of it'],
      ['progress', 'something new', { type: 'dream', depth: 3 }],
      ['progress', 'read_file broken', { type: 'tool:call', name: 7 }],
    );
    expect(shown(run).slice(1)).toEqual(['· half of it', '· read_file broken']);
  });

  it('ends with the answer of an agent that said nothing before', () => {
    const task = {
      result: { success: true, output: 'The *answer*', artifacts: [], duration: 1 },
    } as unknown as Task;
    expect(shown(concludeRun(runOf(['completed', '']), task)).at(-1)).toBe('The answer');
    const spoken = runOf(['output', 'The answer', { stream: 'text' }], ['completed', '']);
    expect(concludeRun(spoken, task)).toBe(spoken);
  });
});
