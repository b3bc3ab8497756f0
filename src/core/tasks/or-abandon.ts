import { RunStopped } from './active-runs.ts';

/** How long an agent has to stop after its run was aborted; after that, the worker stops waiting for it. */
const STOP_GRACE_MS = 5000;

/** Follows the run, but no longer than the grace period after it was aborted. */
export function orAbandon<T>(run: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const onAbort = () => {
      grace = setTimeout(() => reject(new RunStopped('lost')), STOP_GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const settle = () => {
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
    };
    run.then(resolve, reject).finally(settle);
  });
}
