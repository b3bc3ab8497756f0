import canonicalize from 'canonicalize';
import { z } from 'zod';
import {
  type Attestation,
  attestationSchema,
  type DeviceIdentity,
  type Verification,
} from '../../contract/devices.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import { hashToken } from '../auth/hash-token.ts';
import { AppError } from '../errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { decodeBase64 } from '../secrets/base64.ts';
import { deviceIdOf } from './device-identity.ts';
import { sign, verifyStrictly } from '../secrets/ed25519.ts';

const DOMAIN = 'service/attest/v1\0';
const NONCE_BYTES = 16;
/** Allowed clock skew between two devices. */
const SKEW_MS = 60_000;
/** The greatest `maxAgeMs` that a verification may allow. */
const MAX_AGE_MS = 3_600_000;

const strictSchema = z.strictObject({
  ...attestationSchema.shape,
  attestation: z.strictObject(attestationSchema.shape.attestation.shape),
});

type Data = Attestation['attestation']['data'];
type Signed = Pick<Attestation, 'deviceId' | 'publicKey'> & { timestamp: string; nonce: string; data: Data };

export interface AttestationServiceDeps {
  database: Database;
  audit: AuditLog;
  keyRing: KeyRing;
  identity: DeviceIdentity;
  runtime: Runtime;
}

/** Creates attestations of this daemon and verifies those of other devices. */
export class AttestationService {
  readonly #deps: AttestationServiceDeps;
  constructor(deps: AttestationServiceDeps) {
    this.#deps = deps;
  }

  /** Signs data as this daemon; only the audit log records the user who requested it. */
  async attest(caller: Caller, data: Data): Promise<Attestation> {
    const { database, audit, keyRing, identity, runtime } = this.#deps;
    const { deviceId, publicKey } = identity;
    const timestamp = runtime.now().toISOString();
    const nonce = runtime.newSecret(NONCE_BYTES);
    const bytes = bytesOf({ deviceId, publicKey, timestamp, nonce, data });
    if (!bytes) throw new AppError('validation', 'The data has no canonical form');
    const signature = sign(keyRing.key('attest'), bytes).toString('base64');
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool: 'device.attested',
        userId: caller.userId,
        arguments: { nonce },
        result: 'ok',
      }),
    );
    return { deviceId, publicKey, attestation: { timestamp, nonce, data, signature } };
  }

  /** Verifies an attestation and returns the reason where it is invalid; a valid one is accepted once. */
  async verify(input: { attestation: unknown; maxAgeMs: number }): Promise<Verification> {
    const parsed = safeParse(strictSchema, input.attestation);
    if (!parsed.success) return refused('The attestation is malformed');
    const { deviceId, publicKey, attestation } = parsed.data;
    const { signature, ...signed } = attestation;
    const key = decodeBase64(publicKey, 32);
    const signatureBytes = decodeBase64(signature, 64);
    const bytes = bytesOf({ deviceId, publicKey, ...signed });
    const signedAt = Date.parse(signed.timestamp);
    const isExact = !Number.isNaN(signedAt) && new Date(signedAt).toISOString() === signed.timestamp;
    if (!key || !signatureBytes || !bytes || !isExact || !isNonce(signed.nonce))
      return refused('The attestation is malformed');
    if (deviceIdOf(key) !== deviceId) return refused('The device id does not belong to the key');
    if (!verifyStrictly(key, bytes, signatureBytes)) return refused('The signature is wrong', deviceId);
    const age = this.#deps.runtime.now().getTime() - signedAt;
    if (age > input.maxAgeMs) return refused('The attestation is too old', deviceId);
    if (age < -SKEW_MS) return refused('The attestation is dated in the future', deviceId);
    if (!(await this.#isFirstUse(`${publicKey} ${signed.nonce}`, signedAt)))
      return refused('The attestation was used before', deviceId);
    return { valid: true, trusted: await this.#isTrusted(publicKey), deviceId };
  }

  /** Stores the nonce until the attestation is too old for every verification. */
  #isFirstUse(nonce: string, signedAt: number): Promise<boolean> {
    const { database, runtime } = this.#deps;
    const expires_at = new Date(signedAt + MAX_AGE_MS + SKEW_MS).toISOString();
    return database.write(async ({ db }) => {
      await db.deleteFrom('used_nonces').where('expires_at', '<', runtime.now().toISOString()).execute();
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('used_nonces')
        .values({ nonce_hash: hashToken(nonce), expires_at })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  async #isTrusted(publicKey: string): Promise<boolean> {
    const { database, identity } = this.#deps;
    if (publicKey === identity.publicKey) return true;
    const device = await database.read
      .selectFrom('devices')
      .innerJoin('users', 'users.id', 'devices.owner_id')
      .select('devices.id')
      .where('devices.public_key', '=', publicKey)
      .where('users.disabled_at', 'is', null)
      .executeTakeFirst();
    return device !== undefined;
  }
}

const refused = (reason: string, deviceId: string | null = null): Verification => ({
  valid: false,
  trusted: false,
  deviceId,
  reason,
});

/** The signed bytes; undefined for data without a canonical form (RFC 8785), such as a lone surrogate. */
function bytesOf(signed: Signed): Buffer | undefined {
  try {
    return Buffer.from(DOMAIN + canonicalize(signed));
  } catch {
    return undefined;
  }
}

/** 128 random bits or more, in hex, base64 or base64url. */
const isNonce = (nonce: string) => /^[\w+/=-]{22,88}$/.test(nonce);
