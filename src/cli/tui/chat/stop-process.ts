import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Without job control the system ignores the stop, and no continuation follows. */
const STOP_MS = 200;

/** Stops this process and its group, as Ctrl-Z does in a shell; resolves when the shell continues it. */
export async function stopProcess(): Promise<void> {
  const continued = new AbortController();
  const waiting = once(process, 'SIGCONT', { signal: continued.signal }).catch(() => undefined);
  process.kill(0, 'SIGTSTP');
  await Promise.race([waiting, delay(STOP_MS)]);
  continued.abort();
}
