import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { SessionService } from '../../../src/core/auth/session-service.ts';
import { SessionStore } from '../../../src/core/auth/session-store.ts';
import { AttestationService } from '../../../src/core/devices/attestation-service.ts';
import { deviceIdentity } from '../../../src/core/devices/device-identity.ts';
import { DeviceService } from '../../../src/core/devices/device-service.ts';
import { publicKeyOf } from '../../../src/core/secrets/ed25519.ts';
import { PairingDecisions } from '../../../src/core/devices/pairing-decisions.ts';
import { PairingService } from '../../../src/core/devices/pairing-service.ts';
import { PairingStore } from '../../../src/core/auth/pairing-store.ts';
import { RateLimits } from '../../../src/core/limits/rate-limits.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { TokenService } from '../../../src/core/auth/tokens/token-service.ts';
import { openStorage } from '../../helpers/storage.ts';

export const ann: Caller = { userId: 'user_ann', role: 'user' };
export const bob: Caller = { userId: 'user_bob', role: 'user' };
export const root: Caller = { userId: 'user_root', role: 'admin' };

/** The key of a device, in base64. */
export const deviceKey = (n: number): string => publicKeyOf(Buffer.alloc(32, n)).toString('base64');

/** Everything about devices over a database of its own, with a clock that the test moves. */
export async function openDevices() {
  const { database, bus, ...storage } = await openStorage();
  const clock = { ms: Date.parse('2026-01-01T00:00:00.000Z') };
  const runtime = { ...systemRuntime, now: () => new Date(clock.ms), monotonic: () => clock.ms };
  await database.write(({ db }) =>
    db
      .insertInto('users')
      .values(
        [ann, bob, root].map(({ userId, role }) => ({
          id: userId,
          email: userId,
          name: userId,
          role,
          onboarding_completed: 0,
          created_at: '',
        })),
      )
      .execute(),
  );
  const audit = new AuditLog(runtime, database.engine);
  const reportBug = (error: unknown) => {
    throw error;
  };
  const sessions = new SessionService({
    database,
    store: new SessionStore(database),
    audit,
    bus,
    runtime,
    reportBug,
  });
  const keyRing = new KeyRing(Buffer.alloc(32, 1));
  const tokens = new TokenService({ database, audit, keys: keyRing, bus, runtime, reportBug });
  const identity = deviceIdentity(keyRing);
  const store = new PairingStore();
  const limits = new RateLimits(runtime.monotonic);
  const parts = { database, bus, sessions, audit, limits, keyRing, identity, runtime, store };
  const ask = (change: { meta?: Record<string, string>; publicKey?: string } = {}) =>
    pairing.request({ requesterId: 'phone', meta: {}, ...change }, {});
  const pairing = new PairingService(parts);
  const decisions = new PairingDecisions(parts);
  return {
    ...storage,
    database,
    bus,
    clock,
    identity,
    sessions,
    pairing,
    decisions,
    attestations: () => new AttestationService(parts),
    tokens,
    devices: new DeviceService({ ...parts, tokens, pairings: store }),
    ask,
    /** A device of the caller, with its session. */
    async pair(caller: Caller, change: Parameters<typeof ask>[0] = {}) {
      const { requestId, code } = await ask(change);
      await decisions.approve(caller, { code }, {});
      const { token } = await pairing.status(requestId, {});
      const session = token === undefined ? undefined : await sessions.resolve(token);
      if (token === undefined || session?.deviceId === undefined) throw new Error('The device is not paired');
      return { requestId, code, token, id: session.deviceId, caller: session };
    },
    /** The names of the events in the audit log, in order. */
    async audited(): Promise<string[]> {
      const rows = await database.read.selectFrom('audit_log').select('tool').orderBy('seq').execute();
      return rows.map(({ tool }) => tool);
    },
  };
}
