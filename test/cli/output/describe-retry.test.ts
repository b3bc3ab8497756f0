import { expect, it } from 'vitest';
import type { TaskEvent } from '../../../src/contract/task.ts';
import { describeNextTry, describeRetry } from '../../../src/cli/output/describe-retry.ts';

const began = Date.parse('2026-03-02T10:00:00.000Z');
const iso = (ms: number) => new Date(began + ms).toISOString();
const retry = (delayMs: number, data: TaskEvent['data'] = {}): TaskEvent => ({
  seq: 1,
  id: 'evt_1',
  type: 'retry_scheduled',
  at: iso(0),
  message: 'Overloaded\u001b[2J',
  data: { delayMs, at: iso(delayMs), ...data },
});
const outage = { outageSince: iso(0), waitsFor: 'outage' };

it('describes an ordinary retry', () => {
  expect(describeRetry(retry(12_000))).toBe(String.raw`retry in 12 s because: Overloaded\x1b[2J`);
  expect(describeRetry(retry(12_000), began + 11_400)).toMatch(/^retry in 1 s because/);
  expect(describeRetry(retry(12_000), began + 20_000)).toMatch(/^retry in 0 s because/);
});

it('says for what a task waits, until when and for how long', () => {
  expect(describeRetry(retry(185_000, outage))).toMatch(
    /^waiting for the provider: next try at \d\d:03, in 3 min 5 s: Overloaded\\x1b\[2J \(does not count as an attempt\)$/,
  );
  expect(describeRetry(retry(185_000, outage), began + 184_500)).toMatch(/next try at \d\d:03, in 1 s:/);
  expect(describeRetry(retry(185_000, outage), began + 185_000)).toMatch(/provider: next try now:/);
  expect(describeRetry(retry(7_200_000, { ...outage, waitsFor: 'limit' }))).toMatch(
    /^usage limit reached: next try at \d\d:00, in 2 h 0 min:/,
  );
});

it('names the day of a time that is far away', () => {
  expect(describeNextTry(began + 30 * 3_600_000, began)).toMatch(
    /^next try at 2026-03-0[34] \d\d:00, in 30 h$/,
  );
});
