/**
 * The daemon that the crash rig kills: the true one, with the rig's agents, points at which it can be made to die, and,
 * where the rig tests itself, a planted fault. Its parent gives orders over the IPC channel.
 */
import { silentLog } from '../../../src/core/log.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import { installAgentPoints } from './agent-points.ts';
import { type KillOrder, installKillPoints, KillSwitch } from './kill-points.ts';
import { installOutsidePoints } from './outside-points.ts';
import { plantFault } from './planted-faults.ts';
import { backoffMs } from './settings.ts';

const killSwitch = new KillSwitch();
installKillPoints(killSwitch);
await installAgentPoints(killSwitch);
await installOutsidePoints(killSwitch);
const { RIG_FAULT: fault, RIG_KILL: firstOrder, RIG_FLAGS: flags = '{}' } = process.env;
if (firstOrder) killSwitch.arm(JSON.parse(firstOrder) as KillOrder);
if (fault) await plantFault(fault);

// Loaded only now, so that the points are in what they import.
const { startDaemon } = await import('../../../src/daemon/start.ts');
const { rigAdapters } = await import('./rig-adapters.ts');
const { systemRuntime } = await import('../../../src/core/runtime.ts');

const daemon = await startDaemon({
  flags: {
    'server.port': 0,
    'queue.retry.backoff': backoffMs,
    'queue.concurrency': 8,
    ...(JSON.parse(flags) as Flags),
  },
  log: { ...silentLog, error: (fields, message) => process.send?.({ bug: `${message} ${show(fields)}` }) },
  extraAdapters: rigAdapters(killSwitch),
  runtime: {
    ...systemRuntime,
    newId(prefix) {
      if (prefix === 'dlq') killSwitch.pass('dead-letter');
      return systemRuntime.newId(prefix);
    },
  },
});
// An order for the start that the start did not reach is over.
killSwitch.disarm();
process.on('message', (order: KillOrder) => killSwitch.arm(order));
// A daemon whose rig has died goes with it.
process.on('disconnect', () => process.exit(1));
process.once('SIGTERM', () => void daemon.close(500).then(() => process.exit(0)));
process.send?.({ url: daemon.url });

function show(fields: object): string {
  const error = 'err' in fields ? fields.err : undefined;
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(fields);
}
