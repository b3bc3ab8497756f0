import { expect, it } from 'vitest';
import { reviewHint } from '../../../../src/cli/commands/run/review-hint.ts';

const id = 'task_01a1fc43-0e60-790c-9e24-000000000001';
const result = (files: number) => ({
  success: true,
  output: '',
  artifacts: [],
  duration: 1,
  changes: { base: 'b', head: 'h', branch: `svc/${id}`, files, additions: 1, deletions: 0, patch: '/p' },
});

it('names apply and discard for changes in a worktree, and undo for those where it worked', () => {
  expect(reviewHint({ id, result: result(1) }, true)).toMatch(/diff .*apply .*discard /);
  expect(reviewHint({ id, result: result(0) }, true)).toBeUndefined();
  expect(reviewHint({ id }, true)).toMatch(/diff .*undo /);
  expect(reviewHint({ id }, false)).toBeUndefined();
});

it('names the comparison of candidates, also where the one that was taken changed nothing', () => {
  const bestOf = { count: 2, pick: 'verify' as const };
  expect(reviewHint({ id, result: result(1), bestOf }, false)).toMatch(/tasks compare .*apply .*discard /);
  expect(reviewHint({ id, result: result(0), bestOf }, false)).toMatch(/^Compare: svc tasks compare \w+$/);
});
