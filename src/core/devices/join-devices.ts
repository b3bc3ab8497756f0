import { AttestationService, type AttestationServiceParts } from './attestation-service.ts';
import { deviceIdentity } from './device-identity.ts';
import { DeviceService, type DeviceServiceParts } from './device-service.ts';
import { PairingDecisions, type PairingDecisionsParts } from './pairing-decisions.ts';
import { PairingService } from './pairing-service.ts';

type Own = 'identity' | 'store';
type DevicesParts = Omit<AttestationServiceParts & DeviceServiceParts & PairingDecisionsParts, Own>;

/** The identity of this daemon, and the devices that are paired with it. */
export function joinDevices(parts: DevicesParts) {
  const identity = deviceIdentity(parts.keyRing);
  const store = parts.pairings;
  return {
    identity,
    attestations: new AttestationService({ ...parts, identity }),
    devices: new DeviceService(parts),
    pairing: new PairingService({ ...parts, store, identity }),
    pairingDecisions: new PairingDecisions({ ...parts, store }),
  };
}
