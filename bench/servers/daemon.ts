import { readFileSync } from 'node:fs';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { AgentAdapter } from '../../src/core/agents/agent-adapter.ts';
import { startDaemon } from '../../src/daemon/start.ts';

/** When each task reached the agent, by task id, in wall-clock milliseconds. */
const starts = new Map<string, number>();

/** An agent that does nothing, so that everything measured is ours. */
const noop: AgentAdapter = {
  type: 'noop',
  name: 'No-op',
  description: 'Does nothing',
  capabilities: [],
  isChosenByLabels: false,
  faults: [],
  missingConfig: () => undefined,
  checkHealth: async () => ({ healthy: true }),
  execute: async ({ task }) => {
    starts.set(task.id, performance.timeOrigin + performance.now());
    return { output: '' };
  },
};

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
