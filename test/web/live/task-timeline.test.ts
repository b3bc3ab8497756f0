import { expect, it } from 'vitest';
import type { TaskEvent, TaskEventType } from '../../../src/contract/task.ts';
import { addTaskEvent } from '../../../src/web/live/task-rows.ts';
import { TaskTimeline } from '../../../src/web/live/task-timeline.ts';
import type { TimelineRow } from '../../../src/web/live/timeline-rows.ts';

const at = (seq: number) => new Date(1_800_000_000_000 + seq * 1000).toISOString();
type Fact = [type: TaskEventType, message: string, data?: TaskEvent['data']];

function timelineOf(facts: Fact[], timeline = new TaskTimeline()): TaskTimeline {
  for (const [index, [type, message, data = {}]] of facts.entries())
    addTaskEvent(timeline, { seq: index + 1, id: `event_${index}`, type, at: at(index + 1), message, data });
  return timeline;
}
const step = (type: string, data: TaskEvent['data'] = {}, message = ''): Fact => [
  'progress',
  message,
  { type, ...data },
];
const started = (attempt: number): Fact => [
  'started',
  `Attempt ${attempt} of 3 by test`,
  { attempt, maxAttempts: 3, agent: 'test' },
];
const rowsOf = ({ attempts }: TaskTimeline): TimelineRow[] => attempts.flatMap(({ rows }) => rows);
const kindsOf = (timeline: TaskTimeline) => rowsOf(timeline).map(({ kind }) => kind);

it('makes one row of a call and its result, also where calls overlap', () => {
  const timeline = timelineOf([
    started(1),
    step('tool:call', { toolCallId: 'a', name: 'read_file', arguments: { path: 'x' } }),
    step('tool:call', { toolCallId: 'b', name: 'run_command', arguments: { command: 'false' } }),
    step('tool:result', { toolCallId: 'b', result: { success: false, content: 'exit code 1' } }),
    step('tool:result', { toolCallId: 'a', result: { success: true, content: 'text' } }),
    step('tool:call', { toolCallId: 'c', name: 'run_command', arguments: {} }),
    step('tool:result', { toolCallId: 'c', result: { success: false, content: 'no', refused: true } }),
  ]);
  expect(rowsOf(timeline)).toMatchObject([
    { kind: 'call', name: 'read_file', state: 'ok', result: 'text', startedAt: at(2), endedAt: at(5) },
    { kind: 'call', name: 'run_command', state: 'failed', endedAt: at(4) },
    { kind: 'call', state: 'refused' },
  ]);
});

it('groups by attempts, and ends with each what it had begun', () => {
  const timeline = timelineOf([
    ['created', 'Created'],
    ['queued', 'Waiting for a worker'],
    started(1),
    step('tool:call', { toolCallId: 'a', name: 'read_file', arguments: {} }),
    step('thinking:start', { step: 1, text: '' }),
    ['requeued', 'The daemon stopped'],
    started(2),
    ['failed', 'It broke', { class: 'agent_error' }],
    ['dead_lettered', 'The task is in the dead-letter queue'],
  ]);
  expect(
    timeline.attempts.map(({ number, end, rows }) => [number, end, rows.map(({ kind }) => kind)]),
  ).toEqual([
    [undefined, undefined, ['note', 'note']],
    [1, 'interrupted', ['call', 'thought', 'note']],
    [2, 'failed', ['note', 'note']],
  ]);
  expect(timeline.attempts[1]?.rows).toMatchObject([{ state: 'stopped' }, { endedAt: at(6) }, {}]);
});

it('counts the time of a call from its approval, and shows how it was decided', () => {
  const approval = { id: 'appr_1', toolName: 'run_command', params: {}, status: 'pending' };
  const asked: Fact[] = [
    started(1),
    step('tool:call', { toolCallId: 'a', name: 'run_command', arguments: {} }),
    ['approval_requested', 'Approval needed', { type: 'approval:requested', toolCallId: 'a', approval }],
  ];
  expect(rowsOf(timelineOf(asked))).toMatchObject([{ state: 'asking' }, { kind: 'approval' }]);
  const decided = { ...approval, status: 'approved', decision: 'allow-once', decidedBy: 'Ana' };
  const timeline = timelineOf([
    ...asked,
    ['approval_decided', 'Allowed', { type: 'approval:decided', toolCallId: 'a', approval: decided }],
    step('tool:result', { toolCallId: 'a', result: { success: true, content: '' } }),
  ]);
  expect(rowsOf(timeline)).toMatchObject([
    { state: 'ok', startedAt: at(4), endedAt: at(5) },
    { decidedAt: at(4), approval: { decidedBy: 'Ana', toolName: 'run_command' } },
  ]);
  // Earlier versions stored the fields without the approval.
  const old = timelineOf([
    ['approval_decided', 'x', { approvalId: 'appr_2', decision: 'deny', toolName: 't' }],
  ]);
  expect(rowsOf(old)).toMatchObject([{ approval: { id: 'appr_2', decision: 'deny' } }]);
});

it('keeps one row of a thought, of a text and of a plan while they grow', () => {
  const timeline = timelineOf([
    started(1),
    step('thinking:start', { step: 1, text: '' }),
    step('thinking:update', { step: 1, text: 'Let me ' }),
    step('thinking:end', { step: 1, text: 'Let me see.' }),
    ['output', 'I ', { type: 'text:delta', step: 1 }],
    ['output', 'look.', { type: 'text:delta', step: 1 }],
    ['output', 'a line of a program', { stream: 'stdout' }],
    step('plan', { entries: [{ text: 'one', status: 'pending' }] }),
    step('plan', { entries: [{ text: 'one', status: 'completed' }] }),
    step('step:start', { step: 2 }),
    step('usage', { input: 1 }),
    step('summary', { summary: 'Done' }),
  ]);
  expect(rowsOf(timeline)).toMatchObject([
    { kind: 'thought', text: 'Let me see.', endedAt: at(4) },
    { kind: 'said', text: 'I look.' },
    { kind: 'plan', entries: [{ status: 'completed' }] },
  ]);
});

it('says why it waits and until when', () => {
  const timeline = timelineOf([
    ['waiting_for_agent', 'No agent is ready'],
    ['waiting_for_agent', 'No daemon has the label gpu.', { waitsFor: 'daemon' }],
    started(1),
    ['retry_scheduled', 'It broke', { at: at(60), delayMs: 1 }],
    started(1),
    ['retry_scheduled', 'Away', { at: at(90), delayMs: 1, outageSince: at(1) }],
    started(1),
    ['deferred', 'Limit', { at: at(100), delayMs: 1 }],
  ]);
  expect(rowsOf(timeline).map((row) => row.kind === 'wait' && [row.reason, row.text, row.dueAt])).toEqual([
    ['agent', 'No agent is ready', undefined],
    ['daemon', 'No daemon has the label gpu.', undefined],
    ['retry', 'It broke', at(60)],
    ['outage', 'Away', at(90)],
    ['limit', 'Limit', at(100)],
  ]);
});

it('joins the beginning and the end of a verification', () => {
  const timeline = timelineOf([
    started(1),
    ['verification_started', 'Verifying', { round: 1, commands: ['npm test'] }],
    [
      'verification_finished',
      'Verification failed',
      { round: 1, status: 'failed', commands: [{ command: 'npm test', exitCode: 1, durationMs: 5 }] },
    ],
    ['verification_started', 'Verifying', { round: 2, commands: ['npm test'] }],
  ]);
  expect(rowsOf(timeline)).toMatchObject([
    { kind: 'check', round: 1, status: 'failed', commands: [{ exitCode: 1 }] },
    { kind: 'check', round: 2, commands: [{ command: 'npm test' }] },
  ]);
});

it('shows the message of what it does not know, and fields of any form do no harm', () => {
  const timeline = timelineOf([
    ['progress', 'Cloning', {}],
    ['progress', '', {}],
    ['somewhen' as TaskEventType, 'From the future'],
    step('tool:call', { toolCallId: 7, name: null, arguments: [1, 'two'] }, 'odd'),
    step('tool:result', { toolCallId: 'unknown', result: 'text' }),
    step('plan', { entries: 'none' }),
    ['approval_requested', 'x', { approval: 5 }],
    ['verification_finished', 'y', { commands: [null, 1] }],
  ]);
  expect(kindsOf(timeline)).toEqual(['note', 'note', 'call', 'call', 'plan', 'approval', 'check']);
});

it('gives up the oldest steps above its limits, and counts them', () => {
  const facts: Fact[] = [started(1)];
  for (let n = 0; n < 100; n++) facts.push(['progress', `step ${n}`, {}]);
  const timeline = timelineOf(facts, new TaskTimeline({ rows: 40, characters: 1_000_000 }));
  expect(timeline.attempts[0]?.rows).toHaveLength(40);
  expect(timeline.attempts[0]?.dropped).toBe(60);
  const large = timelineOf(
    [started(1), ...Array.from({ length: 5 }, (): Fact => ['progress', 'x'.repeat(1000), {}])],
    new TaskTimeline({ rows: 100, characters: 2500 }),
  );
  expect(large.attempts[0]?.rows).toHaveLength(2);
});
