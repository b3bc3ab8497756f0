import { expect, it } from 'vitest';
import type { Approval } from '../../../../src/contract/approvals.ts';
import type { RunEventInput } from '../../../../src/contract/run-events.ts';
import { runEventOf } from '../../../../src/contract/task-run-events.ts';
import type { TaskEvent } from '../../../../src/contract/task.ts';
import type { RunningEvent } from '../../../../src/core/agents/agent-adapter.ts';
import { RunEventRecord } from '../../../../src/core/chat/runs/run-event-record.ts';

const at = '2026-01-01T00:00:00.000Z';
const timestamp = Date.parse(at);
const approval: Approval = {
  id: 'appr_1',
  status: 'pending',
  taskId: 'task_1',
  toolName: 'write_file',
  params: { path: 'a.txt', content: 'yes' },
  cwd: '/srv/app',
  securityLevel: 'medium',
  reason: 'It writes a file',
  requestedAt: at,
  expiresAt: '2026-01-01T00:10:00.000Z',
};
const decided: Approval = { ...approval, status: 'approved', decision: 'allow-once', decidedAt: at };

/** What the task keeps of run events, as a client receives it. */
function recorded(...events: RunEventInput[]): TaskEvent[] {
  const kept: RunningEvent[] = [];
  const record = new RunEventRecord((event) => kept.push(event));
  for (const event of events) record.add(event);
  record.flush();
  return kept.map(({ data = {}, ...event }, index) => ({
    ...event,
    seq: index + 1,
    id: `evt_${index}`,
    at,
    data: JSON.parse(JSON.stringify(data)) as TaskEvent['data'],
  }));
}

it.each<[TaskEvent['type'], string, RunEventInput]>([
  ['output', 'Hello', { type: 'text:delta', data: { step: 2, delta: 'Hello' } }],
  ['progress', '', { type: 'thinking:update', data: { step: 2, text: 'Hm' } }],
  [
    'progress',
    'Step 1',
    { type: 'step:start', data: { step: 1, maxSteps: 5, usedTokens: 0, maxBudget: null } },
  ],
  [
    'progress',
    'read_file notes.txt',
    { type: 'tool:call', data: { toolCallId: 'c1', name: 'read_file', arguments: { path: 'notes.txt' } } },
  ],
  [
    'progress',
    'failed: no such file',
    { type: 'tool:result', data: { toolCallId: 'c1', result: { success: false, content: 'no such\nfile' } } },
  ],
  [
    'approval_requested',
    'Approval needed: write_file. It writes a file',
    { type: 'approval:requested', data: { toolCallId: 'c1', approval } },
  ],
  [
    'approval_decided',
    'Approval of write_file: allow-once',
    { type: 'approval:decided', data: { toolCallId: 'c1', approval: decided } },
  ],
  ['progress', 'Too late', { type: 'error', data: { message: 'Too late', code: 'TIMEOUT' } }],
])('records a run event as %s "%s"', (type, message, event) => {
  const [kept] = recorded(event);
  expect(kept).toMatchObject({ type, message });
  expect(kept && runEventOf(kept)).toEqual({ ...event, timestamp });
});

it('stores the first text delta at once, batches the next ones and keeps their order', () => {
  const delta = (text: string): RunEventInput => ({ type: 'text:delta', data: { step: 1, delta: text } });
  const compaction: RunEventInput = { type: 'compaction', data: { tokensBefore: 9, tokensAfter: 3 } };
  expect(recorded(delta('Hel'), delta('l'), delta('o'), compaction).map(runEventOf)).toEqual([
    { ...delta('Hel'), timestamp },
    { ...delta('lo'), timestamp },
    { ...compaction, timestamp },
  ]);
});

it('truncates a result that is too long for an event', () => {
  const result = { success: true, content: 'x'.repeat(20_000) };
  const [kept] = recorded({ type: 'tool:result', data: { toolCallId: 'c1', result } });
  expect(kept?.data['result']).toEqual({ success: true, content: `${'x'.repeat(16_384)}…`, isCut: true });
});

it('keeps the fields of an approval where clients of earlier versions read them', () => {
  const asked = recorded({ type: 'approval:requested', data: { toolCallId: 'c1', approval } });
  const { toolName, params, cwd, reason, expiresAt, securityLevel } = approval;
  expect(asked[0]?.data).toMatchObject({
    approvalId: 'appr_1',
    toolCallId: 'c1',
    toolName,
    params,
    cwd,
    reason,
    expiresAt,
    securityLevel,
  });
});

it('reads no approval from the progress of another agent', () => {
  const data = { type: 'approval:requested', toolCallId: 'c1', approval } as unknown as TaskEvent['data'];
  expect(runEventOf({ seq: 1, id: 'evt_1', type: 'progress', at, message: '', data })).toBeUndefined();
});
