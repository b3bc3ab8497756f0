import { live } from './live-feed.ts';

const RETRY_MS = 2000;

/**
 * What a script brings, also where the daemon is away at first: then it is loaded once the daemon is back. One that is gone,
 * because svc was updated, never comes; the page says so.
 */
export async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch {
      if (live.state() === 'connected') dispatchEvent(new Event('svc:missing-part'));
      await nextChance();
    }
  }
}

/** Until the daemon is back, or some time has passed. */
function nextChance(): Promise<void> {
  return new Promise((resolve) => {
    const stop = live.onState(() => live.state() === 'connected' && finish());
    const timer = setTimeout(() => finish(), RETRY_MS);
    function finish() {
      stop();
      clearTimeout(timer);
      resolve();
    }
  });
}
