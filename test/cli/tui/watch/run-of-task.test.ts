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
    .rows(entries, 60, { areResultsShown: false, isThinkingShown: false })
    .slice()
    .map(lineText)
    .filter((line) => line !== '');

const call: Told = [
  'progress',
  'run_command npm test',
  { type: 'tool:call', toolCallId: '1', name: 'run_command', arguments: { command: 'npm test' } },
];
const approval = {
  id: 'appr_1',
  status: 'pending',
  toolName: 'run_command',
  params: { command: 'npm test' },
  cwd: '/',
  securityLevel: 'high',
  reason: '',
  requestedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
};
const toolCallId = '1';
const request: Told = [
  'approval_requested',
  'Approval needed',
  { type: 'approval:requested', toolCallId, approval },
];
const decided: Told = [
  'approval_decided',
  '',
  {
    type: 'approval:decided',
    toolCallId,
    approval: { ...approval, status: 'denied', decision: 'deny' },
    decision: 'deny',
  },
];
/** As earlier versions stored them. */
const { id: approvalId, toolName, params, cwd, reason, expiresAt, securityLevel } = approval;
const earlierRequest: Told = [
  'approval_requested',
  'Approval needed',
  { approvalId, toolCallId, toolName, params, cwd, reason, expiresAt, securityLevel },
];
const earlierDecision: Told = [
  'approval_decided',
  '',
  { approvalId, toolCallId, toolName, status: 'denied', decision: 'deny' },
];

describe('the run of a task on the screen', () => {
  it('shows the prompt, the output in its order and the outcome of a task', () => {
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
      '· started by command',
      '# no *Markdown*',
      '  one line',
      'a warning',
      '! retry in 1 s because: It crashed',
      '! failed: It crashed again',
    ]);
    expect(run.phase).toBe('failed');
  });

  it('shows text as Markdown and each tool call in one row', () => {
    const run = runOf(
      ['started', '', { attempt: 1, maxAttempts: 1, agent: 'builtin' }],
      ['output', 'I look at **it', { type: 'text:delta', step: 1, delta: 'I look at **it', stream: 'text' }],
      // As earlier versions stored it.
      ['output', '**.', { stream: 'text', step: 1 }],
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

  it.each([
    ['this version', request, decided],
    ['an earlier version', earlierRequest, earlierDecision],
  ])('shows which call waits for approval, in events of %s', (_, asked, answered) => {
    expect(shown(runOf(call, asked)).at(-1)).toBe('? run_command  npm test  waiting for you');
    expect(shown(runOf(call, asked, answered)).slice(-2)).toEqual(['● run_command  npm test', '· denied']);
  });

  it('shows the message of an unknown step', () => {
    const run = runOf(
      ['progress', 'half of it'],
      ['progress', 'something new', { type: 'dream', depth: 3 }],
      ['progress', 'read_file broken', { type: 'tool:call', name: 7 }],
    );
    expect(shown(run).slice(1)).toEqual(['· half of it', '· read_file broken']);
  });

  it('shows the answer of an agent at the end when it sent no text before', () => {
    const task = {
      result: { success: true, output: 'The *answer*', artifacts: [], duration: 1 },
    } as unknown as Task;
    expect(shown(concludeRun(runOf(['completed', '']), task)).at(-1)).toBe('The answer');
    const spoken = runOf(['output', 'The answer', { stream: 'text' }], ['completed', '']);
    expect(concludeRun(spoken, task)).toBe(spoken);
  });
});
