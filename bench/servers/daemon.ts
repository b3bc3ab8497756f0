import { readFileSync } from 'node:fs';
import { sessionCookie } from '../../src/contract/locations.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { noopAdapter } from '../noop-adapter.ts';

/** When each task reached the agent, by task id, in wall-clock milliseconds. */
const starts = new Map<string, number>();

const noop = noopAdapter((id) => starts.set(id, performance.timeOrigin + performance.now()));

const daemon = await startDaemon({
  flags: { 'server.port': 0, 'log.level': 'warn' },
  extraAdapters: [noop],
});
process.on('SIGTERM', () => void daemon.close(0).then(() => process.exit(0)));
process.on('message', (question) => {
  if (question === 'commits') process.send?.(daemon.app.database.commits());
  if (question === 'rss') process.send?.(process.memoryUsage().rss);
  if (question === 'starts') process.send?.([...starts]);
});
const token = readFileSync(daemon.locations.ownerSessionFile, 'utf8');
process.send?.({ url: daemon.url, headers: { cookie: `${sessionCookie}=${token}` } });
