import type { Feature } from '../lifecycle.ts';
import { DaemonService, type DaemonServiceDeps } from './daemon-service.ts';

/** Wires what shows the daemons of the cluster. */
export const composeDaemons = (deps: DaemonServiceDeps): Feature<{ daemons: DaemonService }> => ({
  services: { daemons: new DaemonService(deps) },
});
