import { AttestationService, type AttestationServiceDeps } from './attestation-service.ts';
import { deviceIdentity } from './device-identity.ts';
import { DeviceService, type DeviceServiceDeps } from './device-service.ts';
import { PairingDecisions, type PairingDecisionsDeps } from './pairing-decisions.ts';
import { PairingService } from './pairing-service.ts';

type Own = 'identity' | 'store';
type DevicesDeps = Omit<AttestationServiceDeps & DeviceServiceDeps & PairingDecisionsDeps, Own>;

/** The identity of this daemon, and the devices that are paired with it. */
export function composeDevices(deps: DevicesDeps) {
  const identity = deviceIdentity(deps.keyRing);
  const store = deps.pairings;
  return {
    identity,
    attestations: new AttestationService({ ...deps, identity }),
    devices: new DeviceService(deps),
    pairing: new PairingService({ ...deps, store, identity }),
    pairingDecisions: new PairingDecisions({ ...deps, store }),
  };
}
