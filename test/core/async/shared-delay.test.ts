import { expect, it, vi } from 'vitest';
import { SharedDelay } from '../../../src/core/async/shared-delay.ts';

it('ends at the same moment for all who ask within its time, and begins again after it', async () => {
  const ends: string[] = [];
  const delay = new SharedDelay(5);
  const first = delay.end();
  expect(delay.end()).toBe(first);
  void first.then(() => ends.push('first'));
  await first;
  expect(delay.end()).not.toBe(first);
  await vi.waitFor(() => expect(ends).toEqual(['first']), 20_000);
});
