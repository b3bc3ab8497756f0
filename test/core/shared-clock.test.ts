import { describe, expect, it } from 'vitest';
import { SharedClock } from '../../src/core/shared-clock.ts';

/** A machine whose clock is a minute ahead of the server. */
function machine() {
  const state = { monotonic: 1000 };
  const clock = new SharedClock({
    now: () => new Date(1_000_060_000 + state.monotonic),
    monotonic: () => state.monotonic,
  });
  return { clock, state };
}

describe('the shared clock', () => {
  it('is the clock of the machine until the server has said its time', () => {
    expect(machine().clock.now().getTime()).toBe(1_000_061_000);
  });

  it('is the clock of the server after that, and runs on without it', () => {
    const { clock, state } = machine();
    clock.add({ sentAt: 1000, answeredAt: 1004, serverTime: 1_000_001_002 });
    expect(clock.now().getTime()).toBe(1_000_001_000);
    state.monotonic += 5000;
    expect(clock.now().getTime()).toBe(1_000_006_000);
  });

  it('keeps a narrow sample, and takes a wider one when it has grown old', () => {
    const { clock, state } = machine();
    clock.add({ sentAt: 1000, answeredAt: 1002, serverTime: 1_000_001_001 });
    clock.add({ sentAt: 1000, answeredAt: 1400, serverTime: 1_000_001_390 });
    expect(clock.now().getTime()).toBe(1_000_001_000);
    state.monotonic = 10_000_000;
    clock.add({ sentAt: 9_999_600, answeredAt: 10_000_000, serverTime: 1_010_000_000 });
    expect(clock.now().getTime()).toBe(1_010_000_200);
  });
});
