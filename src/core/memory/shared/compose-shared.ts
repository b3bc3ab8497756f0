import type { DaemonIdentity } from '../../daemon-identity.ts';
import type { EventBus } from '../../events.ts';
import type { Leases } from '../../leases.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { IndexClient } from '../index/index-client.ts';
import { RootKeeper } from './root-keeper.ts';
import { SharedFiles } from './shared-files.ts';
import { SharedMemory, type SharedMemoryDeps } from './shared-memory.ts';
import { SharedVectors } from './shared-vectors.ts';

export interface SharedParts extends Pick<SharedMemoryDeps, 'pullExperiences' | 'onTaken'> {
  database: Database;
  bus: EventBus;
  daemon: DaemonIdentity;
  leases: Leases;
  index: Pick<IndexClient, 'call' | 'isRunning'>;
  /** The folders that this daemon is to index. */
  wanted: () => string[];
  /** Called after it reads other folders than before. */
  onChange: () => void;
  runtime: Runtime;
  log: Log;
  reportBug: (error: unknown) => void;
}

/** Wires what the daemons of a cluster have indexed together; a daemon that is alone has nothing of it. */
export function composeShared(parts: SharedParts) {
  const { daemon } = parts;
  if (!daemon.isInCluster) return undefined;
  const who = { daemonId: daemon.id, host: daemon.host };
  const files = new SharedFiles(parts);
  const keeper = new RootKeeper({ ...parts, ...who, files });
  return {
    files,
    memory: new SharedMemory({ ...parts, ...who, files, keeper }),
    vectors: new SharedVectors(parts),
  };
}
