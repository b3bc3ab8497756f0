import { readFileSync } from 'node:fs';

/** In longer, a busy machine may give out every number once. */
const TRUSTED_MS = 5000;

/**
 * Notes which process of the machine is the newest. What it returns is called later, and tells of which numbers a process
 * may have that was started in between: Linux counts up and begins again at the end. Of all, where that is not certain.
 */
export function noteNewestPid(): () => (pid: number) => boolean {
  const before = newestPid();
  const noted = performance.now();
  return () => {
    const after = newestPid();
    if (before === undefined || after === undefined || performance.now() - noted > TRUSTED_MS)
      return () => true;
    if (after >= before) return (pid) => pid > before && pid <= after;
    return (pid) => pid > before || pid <= after;
  };
}

/** The last field of /proc/loadavg; undefined where the system does not say. */
function newestPid(): number | undefined {
  try {
    const pid = Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
