import { describe, expect, it } from 'vitest';
import { isClockBehind, msUntilDue } from '../../../src/core/tasks/due-time.ts';

const task = { updated_at: '2026-01-01T12:00:00.000Z', scheduled_for: '2026-01-01T12:00:05.000Z' };
const at = (time: string) => new Date(`2026-01-01T${time}Z`);

describe('a task that waits', () => {
  it('a waiting task is due when its time has come', () => {
    expect(msUntilDue(task, at('12:00:02.000'))).toBe(3000);
    expect(msUntilDue(task, at('12:00:05.000'))).toBe(0);
    expect(msUntilDue(task, at('18:00:00.000'))).toBe(0);
    expect(msUntilDue({ ...task, scheduled_for: null }, at('12:00:00.000'))).toBe(0);
  });

  it('a waiting task waits no longer when the clock is set back', () => {
    expect(msUntilDue(task, at('03:00:00.000'))).toBe(5000);
    expect(isClockBehind(task, at('03:00:00.000'))).toBe(true);
    expect(isClockBehind(task, at('12:00:00.000'))).toBe(false);
  });
});
