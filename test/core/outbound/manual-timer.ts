import { settle } from '../../helpers/settle.ts';

/** A clock and one timer that only move when the test says. */
export function manualTimer(startMs = Date.parse('2026-01-01T00:00:00.000Z')) {
  let nowMs = startMs;
  /** What setting the clock does not change. */
  let setMs = 0;
  let timer: { run: () => void; atMs: number } | undefined;
  return {
    settle,
    now: () => new Date(nowMs),
    monotonic: () => nowMs - startMs - setMs,
    setTimer: (run: () => void, ms: number) => {
      timer = { run, atMs: nowMs + ms };
      // Only something that can be cleared.
      return setTimeout(() => undefined, 0);
    },
    /** What the timer waits for, in milliseconds; undefined where nothing is due. */
    waits: () => timer && timer.atMs - nowMs,
    /** Sets the clock as a person would: the timer knows nothing of it. */
    setBy(ms: number) {
      nowMs += ms;
      setMs += ms;
      if (timer) timer.atMs += ms;
    },
    /** Lets the time pass. */
    async advance(ms: number) {
      const untilMs = nowMs + ms;
      await settle();
      while (timer && timer.atMs <= untilMs) {
        const { run, atMs } = timer;
        timer = undefined;
        nowMs = Math.max(nowMs, atMs);
        run();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}
