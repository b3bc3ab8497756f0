import { Text } from 'ink';
import { createElement } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useBatchedReducer } from '../../../../src/cli/tui/parts/use-batched-reducer.ts';
import { Rendered } from '../rendered.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('draws 200 events a second in 20 frames, and a key at once with all events before it', async () => {
  const batches: number[] = [];
  const add = (sum: number, events: readonly number[]) => {
    batches.push(events.length);
    return events.reduce((a, b) => a + b, sum);
  };
  let handle: ReturnType<typeof useBatchedReducer<number, number>> | undefined;
  function Counter() {
    handle = useBatchedReducer(add, 0);
    return createElement(Text, null, String(handle.state));
  }
  using screen = new Rendered(createElement(Counter), { columns: 80, rows: 24 });
  const before = screen.frames;
  for (let at = 0; at < 200; at++) {
    handle?.push(1);
    await vi.advanceTimersByTimeAsync(5);
  }
  await screen.until(/^200$/);
  expect(batches).toEqual(Array.from({ length: 20 }, () => 10));
  expect(screen.frames - before).toBeLessThanOrEqual(20);
  handle?.push(1);
  handle?.apply(10);
  await screen.until(/^211$/);
  expect(batches.at(-1)).toBe(2);
});
