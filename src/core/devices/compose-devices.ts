import type { Feature } from '../lifecycle.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { AttestationService, type AttestationServiceDeps } from './attestation-service.ts';
import { deviceIdentity } from './device-identity.ts';
import { DeviceService, type DeviceServiceDeps } from './device-service.ts';
import { PairingDecisions, type PairingDecisionsDeps } from './pairing-decisions.ts';
import { PairingService } from './pairing-service.ts';

const EXPIRE_EVERY_MS = 15_000;

type Own = 'identity' | 'store' | 'keyRing';
type DevicesDeps = Omit<AttestationServiceDeps & DeviceServiceDeps & PairingDecisionsDeps, Own> & {
  keys: KeyRing;
};

/** Composes the identity of this daemon and its paired devices. */
export function composeDevices({ keys: keyRing, ...services }: DevicesDeps) {
  const deps = { ...services, keyRing };
  const identity = deviceIdentity(keyRing);
  const store = deps.pairings;
  const pairing = new PairingService({ ...deps, store, identity });
  const offered = {
    identity,
    attestations: new AttestationService({ ...deps, identity }),
    devices: new DeviceService(deps),
    pairing,
    pairingDecisions: new PairingDecisions({ ...deps, store }),
  };
  return {
    services: offered,
    lifecycle: { tidy: { everyMs: EXPIRE_EVERY_MS, run: () => pairing.deleteOld(), shared: 'pairings' } },
  } satisfies Feature<typeof offered>;
}
