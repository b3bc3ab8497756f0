import { setTimeout as delay } from 'node:timers/promises';
import type { ShowStep } from '../output/while-waiting.ts';
import type { DaemonDescription, StartingDaemon } from './daemon-file.ts';

/** A daemon that starts gives a sign of life every second; its disk may keep it waiting. */
const SILENT_FOR_MS = 30_000;
const LOOK_EVERY_MS = 25;
const LOOK_AT_STEPS_MS = 200;

export interface WaitForDaemonOptions {
  find: () => Promise<DaemonDescription | undefined>;
  look: () => StartingDaemon | undefined;
  /** Why the daemon that was started will never respond; undefined while it or another one still may. */
  exitReason: () => string | undefined;
  isAlive: (pid: number) => boolean;
  show: ShowStep;
  /** The error for a reason. */
  fail: (reason: string) => Error;
  /** Ends the wait. */
  signal: AbortSignal;
  /** Milliseconds that never jump. */
  now?: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Waits for a daemon that starts, however long it takes: until it responds, has exited, or gives no sign of life. */
export async function waitForDaemon({
  find,
  look,
  isAlive,
  exitReason,
  show,
  fail,
  signal,
  now = () => performance.now(),
  pause = (ms, until) => delay(ms, undefined, { signal: until }),
}: WaitForDaemonOptions): Promise<DaemonDescription> {
  let lastSign = now();
  let before: StartingDaemon | undefined;
  for (;;) {
    const running = await find();
    if (running) return running;
    const reason = exitReason();
    if (reason !== undefined) throw fail(reason);
    const starting = look();
    if (starting) {
      if (starting.touchedAt !== before?.touchedAt) lastSign = now();
      show(starting.step);
    } else if (before && !isAlive(before.pid)) throw fail('the daemon that was starting has exited');
    before = starting ?? before;
    if (now() - lastSign >= SILENT_FOR_MS)
      throw fail(`it has given no sign of life for ${SILENT_FOR_MS / 1000} s`);
    await pause(before ? LOOK_AT_STEPS_MS : LOOK_EVERY_MS, signal);
  }
}
