import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemRuntime } from '../../src/core/runtime.ts';

afterEach(() => void vi.useRealTimers());
const make = (count: number) => Array.from({ length: count }, () => systemRuntime.newId('dlv'));

describe('ids', () => {
  it('ids rise within a millisecond, and when the clock is set back', () => {
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
    const ids = make(5000);
    vi.setSystemTime(Date.now() - 3_600_000);
    ids.push(...make(5000));
    vi.setSystemTime(Date.now() + 7_200_000);
    ids.push(...make(10));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^dlv_[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('ids cannot be predicted', () => {
    const [first = '', second = ''] = make(2).map((id) => id.slice(-8));
    expect(first).not.toBe(second);
  });
});
