/**
 * A daemon with a clock that its parent sets and an agent that its parent ends, which can be made to die at its commits.
 * Its parent gives orders over the IPC channel.
 */
import { silentLog } from '../../../src/core/log.ts';
import { type KillOrder, installKillPoints, KillSwitch } from '../crash/kill-points.ts';

export type Order = { now: string } | { kill: KillOrder } | { look: true } | { end: string };

const killSwitch = new KillSwitch();
installKillPoints(killSwitch);

// Loaded only now, so that the points are in what they import.
const { startDaemon } = await import('../../../src/daemon/start.ts');
const { systemRuntime } = await import('../../../src/core/runtime.ts');
const { AgentFailure } = await import('../../../src/core/agents/agent-adapter.ts');
const { testAdapter } = await import('../../helpers/tasks.ts');

let offsetMs = Date.parse(process.env['RIG_NOW'] ?? '') - Date.now();
/** Titles of the tasks that may end, now and later. */
const ended = new Set((process.env['RIG_ENDED'] ?? '').split(','));
const waiting = new Map<string, (() => void)[]>();

const adapter = testAdapter(async ({ task: { title }, signal }) => {
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    if (ended.has(title)) resolve();
    else waiting.set(title, [...(waiting.get(title) ?? []), resolve]);
  });
  if (title.startsWith('fails')) throw new AgentFailure('auth', 'rig', 'It is to fail');
  return { output: 'done' };
});
const daemon = await startDaemon({
  flags: { 'server.port': 0 },
  log: silentLog,
  extraAdapters: [adapter],
  runtime: { ...systemRuntime, now: () => new Date(Date.now() + offsetMs) },
});

process.on('message', (order: Order) => {
  if ('now' in order) offsetMs = Date.parse(order.now) - Date.now();
  if ('kill' in order) killSwitch.arm(order.kill);
  if ('look' in order) void daemon.app.scheduler.check().then(() => process.send?.({ looked: true }));
  if ('end' in order) {
    ended.add(order.end);
    for (const resolve of waiting.get(order.end) ?? []) resolve();
  }
});
// A daemon whose rig has died goes with it.
process.on('disconnect', () => process.exit(1));
process.send?.({ url: daemon.url });
