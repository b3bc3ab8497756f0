import { expect, it } from 'vitest';
import { formatProgress } from '../../../../src/cli/commands/memory/sync-progress.ts';

const reading = { basePath: '/notes', phase: 'reading', done: 500, total: 1000 } as const;

it('says how long the rest of a sync takes once that is known', () => {
  expect(formatProgress(reading)).toBe('reading ━━━━━━━━━━────────── 500 of 1,000 files  /notes');
  expect(formatProgress({ ...reading, remainingMs: 12_300 })).toContain(
    '500 of 1,000 files, about 12 s left',
  );
  expect(formatProgress({ ...reading, remainingMs: 0 })).toContain('about 1.0 s left');
  expect(formatProgress({ ...reading, phase: 'done', remainingMs: 0 })).not.toContain('left');
});
