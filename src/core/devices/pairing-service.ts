import type { DeviceIdentity } from '../../contract/devices.ts';
import type { CreatePairingRequest, PairingRequest } from '../../contract/pairing.ts';
import type { Role } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import { hashToken } from '../auth/hash-token.ts';
import type { ClientInfo, SessionService } from '../auth/session-service.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { PairingRequestRow } from '../storage/rows/devices.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { decodeBase64 } from '../secrets/base64.ts';
import { isStrictPublicKey } from '../secrets/ed25519.ts';
import { formatCode, hashCode, newCode } from './pairing-code.ts';
import { slotFor } from './pairing-slots.ts';
import { requesterOf, statusOf, toPairingRequest } from './pairing-request.ts';
import type { PairingStore } from '../auth/pairing-store.ts';

const LIFETIME_MS = 10 * 60_000;
/** How long a polling device can still read that its request expired. */
const EXPIRED_READABLE_MS = 10 * 60_000;
/** The margin that scanners need around a QR code, in modules. */
const QUIET_ZONE = 4;

export interface PairingServiceDeps {
  database: Database;
  store: PairingStore;
  sessions: SessionService;
  audit: AuditLog;
  bus: EventBus;
  keyRing: KeyRing;
  identity: DeviceIdentity;
  runtime: Runtime;
}

/** Serves the device that is paired, from its request to its session. */
export class PairingService {
  readonly #deps: PairingServiceDeps;
  constructor(deps: PairingServiceDeps) {
    this.#deps = deps;
  }

  /** Creates a request; the code is for the approver, the requestId is the secret of the device. */
  async request(input: CreatePairingRequest, client: ClientInfo) {
    const made = await this.#create(input, client, { createdBy: null, isLimited: false });
    return { ...made, formatted: formatCode(made.code) };
  }

  /** Creates a request for a QR code, which the device that scans it claims; a browser becomes a limited device. */
  async qr(caller: Caller, baseUrl: string, client: ClientInfo, link: 'app' | 'browser' = 'app') {
    const isLimited = link === 'browser';
    const input = { requesterId: 'qr', meta: {} };
    const made = await this.#create(input, client, { createdBy: caller.userId, isLimited });
    const pairingUrl = isLimited
      ? // The code is in the fragment, which browsers do not send and proxies do not log.
        `${baseUrl}/pair#${made.code}`
      : `svc://pair?code=${made.code}&host=${encodeURIComponent(baseUrl)}`;
    const { renderSVG } = await import('uqr');
    return { ...made, pairingUrl, qrSvg: renderSVG(pairingUrl, { ecc: 'M', border: QUIET_ZONE }) };
  }

  /** Claims the request for the device that scanned the code; only its requestId gets the token. */
  async claim({ code, ...input }: CreatePairingRequest & { code: string }, client: ClientInfo) {
    const { database, store, keyRing, identity } = this.#deps;
    const hash = hashCode(keyRing, code);
    const { requestId, secret_hash: claim_hash } = this.#newRequestId();
    const claim = { claim_hash, ...claimOf(input, client) };
    const expiresAt = await database.write(async (transaction) => {
      const row = hash === undefined ? undefined : await store.findByCode(transaction.db, hash, this.#now());
      if (!row || row.created_by === null)
        throw new AppError('not_found', 'No pending request has this code');
      if (!(await store.claim(transaction, row.id, claim)))
        throw new AppError('wrong_state', 'This code was already used. Show a new one.');
      await this.#audit(transaction, 'pairing.claimed', { ...row, ...claim }, { client });
      this.#tell(transaction, row.created_by);
      return row.expires_at;
    });
    return { requestId, expiresAt, daemonFingerprint: identity.fingerprint };
  }

  /** The status of the request; the first poll after the approval gets the token. */
  async status(requestId: string, client: ClientInfo) {
    const { database, store } = this.#deps;
    const hash = hashToken(requestId);
    const row = await store.findBySecret(database.read, hash);
    if (!row || row.expires_at <= this.#readableSince())
      throw new AppError('not_found', 'Pairing request not found');
    const status = statusOf(row, this.#now());
    const isClaimedByOther = row.claim_hash !== null && row.claim_hash !== hash;
    const token = status === 'approved' && !isClaimedByOther ? await this.#deliver(row, client) : undefined;
    return {
      status,
      ...(token !== undefined && { token }),
      ...(status === 'approved' && row.decided_at !== null && { approvedAt: row.decided_at }),
      expiresAt: row.expires_at,
      ...(row.reason !== null && { reason: row.reason }),
      ...(isClaimedByOther && { claimedBy: requesterOf(row) }),
    };
  }

  async pending(): Promise<PairingRequest[]> {
    const now = this.#now();
    const rows = await this.#deps.store.pending(this.#deps.database.read, now);
    return rows.map((row) => toPairingRequest(row, now));
  }

  /** Deletes the expired requests, decided or not; returns their number. */
  cleanup({ auditEntry }: Pick<Caller, 'auditEntry'> = {}): Promise<number> {
    const { database, store } = this.#deps;
    return database.write(async (transaction) => {
      await auditEntry?.append(transaction);
      return store.deleteExpired(transaction, this.#now());
    });
  }

  /** Deletes the requests that expired too long ago to be polled. */
  deleteOld(): Promise<number> {
    const { database, store } = this.#deps;
    return database.write((transaction) => store.deleteExpired(transaction, this.#readableSince()));
  }

  async #create(
    input: CreatePairingRequest,
    client: ClientInfo,
    { createdBy, isLimited }: { createdBy: string | null; isLimited: boolean },
  ) {
    const { database, store, keyRing, identity, runtime } = this.#deps;
    const code = newCode(runtime);
    const now = runtime.now();
    const { requestId, secret_hash } = this.#newRequestId();
    const row: PairingRequestRow = {
      id: runtime.newId('preq'),
      secret_hash,
      claim_hash: null,
      code_hash: keyRing.hmac('codes', code),
      ...claimOf(input, client),
      status: 'pending',
      created_by: createdBy,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LIFETIME_MS).toISOString(),
      decided_at: null,
      decided_by: null,
      approver_label: null,
      device_id: null,
      role: null,
      reason: null,
      delivered_at: null,
      limited: isLimited ? 1 : 0,
    };
    await database.write(async (transaction) => {
      await database.engine.enter(transaction.db, 'pairing');
      const pending = await store.pendingOf(transaction.db, createdBy, row.created_at);
      // A user shows QR codes wherever they are; everybody else counts by address.
      const leaving = slotFor(pending, createdBy === null ? row.address : null);
      if (leaving !== undefined) await store.delete(transaction, leaving);
      await store.insert(transaction, row);
      await this.#audit(transaction, 'pairing.requested', row, { client, userId: createdBy });
    });
    return { requestId, code, expiresAt: row.expires_at, daemonFingerprint: identity.fingerprint };
  }

  async #deliver(row: PairingRequestRow, client: ClientInfo): Promise<string | undefined> {
    const { database, store, sessions } = this.#deps;
    const { decided_by, device_id, delivered_at } = row;
    if (decided_by === null || device_id === null || delivered_at !== null) return undefined;
    const session = sessions.prepare({
      userId: decided_by,
      kind: 'device',
      role: row.role as Role,
      deviceId: device_id,
      client,
    });
    return database.write(async (transaction) => {
      if (!(await store.deliver(transaction, row.id, this.#now()))) return undefined;
      await sessions.insert(transaction, session.row);
      await this.#audit(transaction, 'pairing.delivered', row, { client, userId: decided_by });
      this.#tell(transaction, decided_by);
      return session.token;
    });
  }

  #tell(transaction: WriteTransaction, userId: string): void {
    transaction.afterCommit(() => this.#deps.bus.emit('devices_changed', { userId }));
  }

  #newRequestId() {
    const requestId = `pair_${this.#deps.runtime.newSecret(24)}`;
    return { requestId, secret_hash: hashToken(requestId) };
  }

  #audit(
    transaction: WriteTransaction,
    tool: string,
    row: PairingRequestRow,
    who: { client: ClientInfo; userId?: string | null },
  ): Promise<void> {
    return this.#deps.audit.append(transaction, {
      kind: 'security',
      tool,
      userId: who.userId ?? undefined,
      address: who.client.address,
      arguments: { requestId: row.id, ...requesterOf(row) },
      result: 'ok',
    });
  }

  #readableSince(): string {
    return new Date(this.#deps.runtime.now().getTime() - EXPIRED_READABLE_MS).toISOString();
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}

/** The columns with what a device says about itself. */
function claimOf({ requesterId, meta, publicKey }: CreatePairingRequest, client: ClientInfo) {
  if (publicKey !== undefined) {
    const key = decodeBase64(publicKey, 32);
    const message = 'Expected a strict Ed25519 public key in base64';
    if (!key || !isStrictPublicKey(key))
      throw new AppError('validation', 'Validation failed', { details: [{ path: 'publicKey', message }] });
  }
  return {
    requester_id: requesterId,
    meta: JSON.stringify(meta),
    public_key: publicKey ?? null,
    address: client.address ?? null,
  };
}
