import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import { type Database, independent } from '../storage/database.ts';
import { removeOldNotes } from '../storage/postgres/noted-transaction.ts';
import { ensureState } from '../storage/state.ts';
import { version } from '../version.ts';
import type { LanePeers } from '../outbound/lane-owner.ts';
import { grantedLeases, type Leases } from '../leases.ts';
import { RowLeases } from './row-leases.ts';
import { aloneDaemon, type DaemonIdentity, readDaemonId } from '../daemon-identity.ts';
import { labelsOfDaemon } from '../placement.ts';
import { claimId } from './claim-id.ts';
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
  /** Which daemon does a work that only one may do. */
  leases: Leases;
  /** For sharing deliveries with the other daemons; undefined where there are none. */
  peers: LanePeers | undefined;
}

/** Makes this daemon known to the others of its cluster from the start to the stop. */
export async function composeMembership(deps: MembershipFeatureDeps): Promise<Feature<MembershipServices>> {
  const { config, database, locations, runtime } = deps;
  if (config.get('mode') !== 'pro')
    return {
      services: { daemon: aloneDaemon, membership: undefined, leases: grantedLeases, peers: undefined },
    };
  const id = readDaemonId(join(locations.data, 'daemon-id'), () => runtime.newId('daemon'));
  const startedAt = runtime.now().toISOString();
  await claimId({ database, directory: locations.data, id, startedAt, runtime });
  const clusterId = await ensureState(database, 'cluster_id', () => runtime.newId('cluster'));
  const leases = new RowLeases({ ...deps, daemonId: id });
  const host = config.get('daemon.host') ?? hostname();
  const name = config.get('daemon.name') ?? host;
  const labels = config.get('daemon.labels');
  const membership = new Membership({
    ...deps,
    self: {
      id,
      name,
      host,
      version,
      role: config.get('daemon.role'),
      labels: JSON.stringify(labels),
      started_at: startedAt,
    },
  });
  const allLabels = labelsOfDaemon({ id, host, labels });
  const own = new Set(allLabels);
  const tidy = async () => {
    await leases.removeOld();
    await database.write(({ db }) => removeOldNotes(db, runtime.now()), independent);
  };
  return {
    services: {
      daemon: {
        id,
        isInCluster: true,
        clusterId,
        name,
        host,
        labels: allLabels,
        hasLabel: (label) => own.has(label),
      },
      membership,
      leases,
      peers: { leases, bus: deps.bus, daemonId: id },
    },
    lifecycle: {
      start: () => membership.join(),
      stop: async () => {
        await leases.stop();
        await membership.leave();
      },
      tidy: { everyMs: TIDY_EVERY_MS, run: tidy, shared: 'leases' },
    },
  };
}
