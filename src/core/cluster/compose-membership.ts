import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { ensureState } from '../storage/state.ts';
import { version } from '../version.ts';
import { aloneDaemon, type DaemonIdentity, readDaemonId } from '../daemon-identity.ts';
import { Membership } from './membership.ts';

export interface MembershipFeatureDeps {
  config: Pick<Config, 'get'>;
  database: Database;
  bus: EventBus;
  locations: Pick<Locations, 'data'>;
  runtime: Runtime;
  log: Log;
}

export interface MembershipServices {
  daemon: DaemonIdentity;
  /** The daemons of the cluster; undefined where there is none. */
  membership: Membership | undefined;
}

/** Makes this daemon known to the others of its cluster from the start to the stop. */
export async function composeMembership(deps: MembershipFeatureDeps): Promise<Feature<MembershipServices>> {
  const { config, database, locations, runtime } = deps;
  if (config.get('mode') !== 'pro') return { services: { daemon: aloneDaemon, membership: undefined } };
  const id = readDaemonId(join(locations.data, 'daemon-id'), () => runtime.newId('daemon'));
  const clusterId = await ensureState(database, 'cluster_id', () => runtime.newId('cluster'));
  const membership = new Membership({
    ...deps,
    self: {
      id,
      host: config.get('daemon.name') ?? hostname(),
      version,
      role: config.get('daemon.role'),
      labels: JSON.stringify(config.get('daemon.labels')),
    },
  });
  return {
    services: { daemon: { id, isInCluster: true, clusterId }, membership },
    lifecycle: { start: () => membership.join(), stop: () => membership.leave() },
  };
}
