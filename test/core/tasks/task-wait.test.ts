import { expect, it } from 'vitest';
import { isNewWait, waitReason } from '../../../src/core/tasks/task-wait.ts';

const limit = { class: 'rate_limited' } as const;
const outage = { class: 'network' } as const;

it('tells a usage limit from a service that is away', () => {
  expect(waitReason('rate_limited')).toBe('limit');
  expect(waitReason('quota')).toBe('limit');
  expect(waitReason('network')).toBe('outage');
});

it.each([
  ['the first failure of an outage', { outages: 1, before: outage, error: outage, delayMs: 1000 }, true],
  ['another retry of it', { outages: 2, before: outage, error: outage, delayMs: 900_000 }, false],
  [
    'a long one that the service asks for',
    { outages: 3, before: outage, error: outage, delayMs: 7_200_000 },
    false,
  ],
  ['a limit after an outage', { outages: 2, before: outage, error: limit, delayMs: 1000 }, true],
  ['the same limit again', { outages: 2, before: limit, error: limit, delayMs: 60_000 }, false],
  ['a limit that resets hours later', { outages: 3, before: limit, error: limit, delayMs: 18_000_000 }, true],
  ['an outage after a limit', { outages: 4, before: limit, error: outage, delayMs: 1000 }, true],
])('%s', (_, wait, isNew) => {
  expect(isNewWait(wait)).toBe(isNew);
});
