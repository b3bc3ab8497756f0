import canonicalize from 'canonicalize';
import { z } from 'zod';
import {
  type Attestation,
  attestationSchema,
  type DeviceIdentity,
  type Verification,
} from '../../contract/devices.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import { hashToken } from '../auth/hash-token.ts';
import { AppError } from '../errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { decodeBase64 } from './base64.ts';
import { deviceIdOf } from './device-identity.ts';
import { sign, verifyStrictly } from './ed25519.ts';

const DOMAIN = 'service/attest/v1\0';
const NONCE_BYTES = 16;
/** How far the clocks of two devices may be apart. */
const SKEW_MS = 60_000;
/** The greatest `maxAgeMs`: nobody takes an attestation that is older. */
const LONGEST_MS = 3_600_000;

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

/** Signs for this daemon, and checks what other devices signed. */
export class AttestationService {
  readonly #deps: AttestationServiceDeps;
  constructor(deps: AttestationServiceDeps) {
    this.#deps = deps;
  }

  /** The audit log says who had the data signed; the attestation only says that it was this daemon. */
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

  /** Whatever is wrong with the attestation is the answer; a valid one is valid once. */
  async verify(input: { attestation: unknown; maxAgeMs: number }): Promise<Verification> {
    const parsed = strictSchema.safeParse(input.attestation);
    if (!parsed.success) return refused('The attestation is malformed');
    const { deviceId, publicKey, attestation } = parsed.data;
    const { signature, ...said } = attestation;
    const key = decodeBase64(publicKey, 32);
    const signatureBytes = decodeBase64(signature, 64);
    const bytes = bytesOf({ deviceId, publicKey, ...said });
    const signedAt = Date.parse(said.timestamp);
    const isExact = !Number.isNaN(signedAt) && new Date(signedAt).toISOString() === said.timestamp;
    if (!key || !signatureBytes || !bytes || !isExact || !isNonce(said.nonce))
      return refused('The attestation is malformed');
    if (deviceIdOf(key) !== deviceId) return refused('The device id does not belong to the key');
    if (!verifyStrictly(key, bytes, signatureBytes)) return refused('The signature is wrong', deviceId);
    const age = this.#deps.runtime.now().getTime() - signedAt;
    if (age > input.maxAgeMs) return refused('The attestation is too old', deviceId);
    if (age < -SKEW_MS) return refused('The attestation comes from the future', deviceId);
    if (!(await this.#isFirstUse(`${publicKey} ${said.nonce}`, signedAt)))
      return refused('The attestation was used before', deviceId);
    return { valid: true, trusted: await this.#isTrusted(publicKey), deviceId };
  }

  /** Remembers the nonce for as long as somebody could still take the attestation. */
  #isFirstUse(nonce: string, signedAt: number): Promise<boolean> {
    const { database, runtime } = this.#deps;
    const expires_at = new Date(signedAt + LONGEST_MS + SKEW_MS).toISOString();
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

/** What is signed; undefined for what has no canonical form (RFC 8785), such as half of a surrogate pair. */
function bytesOf(signed: Signed): Buffer | undefined {
  try {
    return Buffer.from(DOMAIN + canonicalize(signed));
  } catch {
    return undefined;
  }
}

/** 128 random bits or more, in hex, base64 or base64url as the device likes. */
const isNonce = (nonce: string) => /^[\w+/=-]{22,88}$/.test(nonce);
