import { RowLeases } from '../../../src/core/cluster/row-leases.ts';
import { EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { openDatabases } from '../../helpers/two-databases.ts';

/** A daemon of the test, as far as leases are concerned. */
export interface Leaseholder {
  id: string;
  database: Database;
  leases: RowLeases;
  bus: EventBus;
  /** Renews its leases now, as it does every few seconds; does nothing once it is killed. */
  renew: () => void;
  /** From now on it renews nothing and hears nothing. */
  kill: () => void;
  isKilled: () => boolean;
}

/** Daemons that share leases and hints; their clocks go on when the test says, beside the real time. */
export async function leaseWorld(count: number) {
  const opened = await openDatabases(count);
  let offset = 0;
  const runtime = {
    ...systemRuntime,
    now: () => new Date(Date.now() + offset),
    monotonic: () => performance.now() + offset,
  };
  const holders: Leaseholder[] = opened.databases.map((database, index) => {
    const id = `daemon_${index}`;
    let killed = false;
    let renewal: (() => void) | undefined;
    const setTimer = (run: () => void) => {
      renewal = run;
      // Only something that can be cleared.
      return setTimeout(() => undefined, 0);
    };
    const renew = () => {
      if (!killed) renewal?.();
    };
    return {
      id,
      database,
      leases: new RowLeases({ database, daemonId: id, runtime, log: silentLog, setTimer }),
      bus: new EventBus(),
      renew,
      kill: () => (killed = true),
      isKilled: () => killed,
    };
  });
  for (const from of holders)
    from.bus.onLocal('delivery_waiting', (hint) => {
      for (const to of holders)
        if (to !== from && !to.isKilled()) to.bus.receive('delivery_waiting', structuredClone(hint));
    });
  return {
    holders,
    runtime,
    /** Moves the clocks of all. */
    advance: (ms: number) => {
      offset += ms;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { leases } of holders) await leases.stop();
      await opened[Symbol.asyncDispose]();
    },
  };
}
