import type { Feature } from '../lifecycle.ts';
import { AttestationService, type AttestationServiceDeps } from './attestation-service.ts';
import { deviceIdentity } from './device-identity.ts';
import { DeviceService, type DeviceServiceDeps } from './device-service.ts';
import { PairingDecisions, type PairingDecisionsDeps } from './pairing-decisions.ts';
import { PairingService } from './pairing-service.ts';

const EXPIRE_EVERY_MS = 15_000;

type Own = 'identity' | 'store';
type DevicesDeps = Omit<AttestationServiceDeps & DeviceServiceDeps & PairingDecisionsDeps, Own>;

/** The identity of this daemon, and the devices that are paired with it. */
export function composeDevices(deps: DevicesDeps) {
  const identity = deviceIdentity(deps.keyRing);
  const store = deps.pairings;
  const pairing = new PairingService({ ...deps, store, identity });
  const services = {
    identity,
    attestations: new AttestationService({ ...deps, identity }),
    devices: new DeviceService(deps),
    pairing,
    pairingDecisions: new PairingDecisions({ ...deps, store }),
  };
  return {
    services,
    lifecycle: { tidy: { everyMs: EXPIRE_EVERY_MS, run: () => pairing.deleteOld() } },
  } satisfies Feature<typeof services>;
}
