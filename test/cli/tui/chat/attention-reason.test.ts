import { expect, it } from 'vitest';
import { attentionReason } from '../../../../src/cli/tui/chat/attention-reason.ts';
import { beginRun, emptyRun, finishRun } from '../../../../src/cli/tui/parts/run-state.ts';
import type { Approval } from '../../../../src/contract/approvals.ts';

const approval = (id: string): Approval => ({
  id,
  status: 'pending',
  toolName: 'edit_file',
  params: {},
  cwd: '/',
  securityLevel: 'medium',
  reason: '',
  requestedAt: '2026-01-01T00:00:00Z',
  expiresAt: '2026-01-01T00:10:00Z',
});
const running = beginRun(emptyRun, 0);
const asking = { ...running, approvals: [approval('one')] };

it('asks for attention once per approval', () => {
  expect(attentionReason(running, asking)).toBe('edit_file needs approval');
  expect(attentionReason(asking, { ...asking, phase: 'writing' })).toBeUndefined();
  expect(attentionReason(asking, { ...asking, approvals: [approval('two')] })).toBe(
    'edit_file needs approval',
  );
});

it('asks for attention at the end of a long answer only', () => {
  expect(attentionReason(running, finishRun(running, 'done', 9_000))).toBeUndefined();
  expect(attentionReason(running, finishRun(running, 'done', 11_000))).toBe('the answer is complete');
  expect(attentionReason(running, finishRun(running, 'failed', 11_000))).toBe('the answer failed');
  const done = finishRun(running, 'done', 11_000);
  expect(attentionReason(done, { ...done })).toBeUndefined();
});
