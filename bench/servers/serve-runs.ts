import { rmSync } from 'node:fs';
import type { startDaemon } from '../../src/daemon/start.ts';

/** Answers `run` with the result of a run, which gets a promise of the moment when `tasks` more tasks are completed. */
export function serveRuns(
  daemon: Awaited<ReturnType<typeof startDaemon>>,
  tasks: number,
  run: (completed: Promise<void>) => Promise<object>,
): void {
  const { app, url, locations } = daemon;
  let done = 0;
  let finish: () => void = () => undefined;
  app.bus.on('task', ({ event: { type } }) => {
    if (type === 'completed' && ++done % tasks === 0) finish();
  });
  process.on('message', (question) => {
    if (question !== 'run') return;
    const completed = new Promise<void>((resolve) => (finish = resolve));
    void run(completed).then((result) => process.send?.(result));
  });
  process.on('SIGTERM', () => {
    void daemon.close(0).then(() => {
      rmSync(locations.data, { recursive: true });
      process.exit(0);
    });
  });
  process.send?.({ url, headers: {} });
}
