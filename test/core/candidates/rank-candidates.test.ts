import { expect, it } from 'vitest';
import type { Task } from '../../../src/contract/task.ts';
import { rankCandidates, rankFailures, whyFirst } from '../../../src/core/candidates/rank-candidates.ts';

const task = (
  id: string,
  {
    rounds = 1,
    lines = 1,
    files = 1,
    ...more
  }: Partial<Pick<Task, 'status' | 'error'>> & { rounds?: number; lines?: number; files?: number },
) =>
  ({
    id,
    status: 'completed',
    ...more,
    result: {
      success: true,
      output: '',
      artifacts: [],
      duration: 1,
      verification: { status: 'passed', commands: [], rounds, environment: 'sandbox' },
      changes: { base: '', head: '', branch: '', files, additions: lines, deletions: 0, patch: '' },
    },
  }) as unknown as Task;
const ids = (tasks: Task[]) => tasks.map(({ id }) => id);

it('prefers fewer repairs, then fewer changed lines, then the first; what changed nothing comes last', () => {
  const ranked = rankCandidates([
    task('nothing', { files: 0, lines: 0 }),
    task('repaired', { rounds: 2, lines: 1 }),
    task('long', { lines: 9 }),
    task('short', { lines: 3 }),
    task('also short', { lines: 3 }),
    task('failed', { status: 'failed', lines: 0 }),
  ]);
  expect(ids(ranked)).toEqual(['short', 'also short', 'long', 'repaired', 'nothing']);
});

it('says why the first is the first', () => {
  const why = (...tasks: Task[]) => whyFirst(rankCandidates(tasks));
  expect(why(task('a', {}))).toBe('the only candidate that completed');
  expect(why(task('a', {}), task('b', { files: 0 }))).toBe('the only candidate that changed files');
  expect(why(task('a', {}), task('b', { rounds: 3 }))).toBe(
    'verified after fewer repairs: 0, the next one after 2',
  );
  expect(why(task('a', { lines: 2 }), task('b', { lines: 5 }))).toBe(
    'fewest changed lines: 2, the next one 5',
  );
  expect(why(task('a', {}), task('b', {}))).toBe('the first of several equal candidates');
});

it('of those that failed, the one that came furthest is first', () => {
  const error = (failure: 'network' | 'verify_failed') => ({ class: failure, code: '', message: '' });
  const ranked = rankFailures([
    task('cancelled', { status: 'cancelled' }),
    task('early', { status: 'failed', files: 0, error: error('network') }),
    task('late', { status: 'failed', error: error('network') }),
    task('checked', { status: 'failed', error: error('verify_failed') }),
    task('completed', {}),
  ]);
  expect(ids(ranked)).toEqual(['checked', 'late', 'early', 'cancelled']);
});
