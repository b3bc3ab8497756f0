import type { RegisterSigningKey, SigningKey } from '../../contract/keys.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import type { ClientInfo } from '../auth/session-service.ts';
import { AppError } from '../errors.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Runtime } from '../runtime.ts';
import { fingerprintOf, readPublicKey } from '../secrets/public-key.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { SigningKeyRow } from '../storage/rows/approvals.ts';
import { decidingSession } from './deciding-session.ts';

export interface SigningKeyServiceDeps {
  database: Database;
  audit: AuditLog;
  notifications: NotificationService;
  runtime: Runtime;
  /** True while every program of this machine is the owner, whose key then would prove nothing. */
  isOpen: () => boolean;
  /** True while decisions need signatures, so that a new key is news. */
  isRequired: () => boolean;
}

/** The keys that sign decisions: one for a session, registered by the session itself, and gone with it. */
export class SigningKeyService {
  readonly #deps: SigningKeyServiceDeps;
  constructor(deps: SigningKeyServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller): Promise<SigningKey[]> {
    const rows = await this.#deps.database.read
      .selectFrom('signing_keys')
      .selectAll()
      .where('owner_id', '=', caller.userId)
      .where('removed_at', 'is', null)
      .orderBy('id', 'desc')
      .execute();
    return rows.map((row) => toSigningKey(row, caller));
  }

  /** Registers the key of the caller's session in place of an earlier one; the same key again changes nothing. */
  async register(
    caller: Caller,
    { algorithm, publicKey }: RegisterSigningKey,
    client: ClientInfo = {},
  ): Promise<SigningKey> {
    const { database, runtime, isOpen } = this.#deps;
    const sessionId = requireSession(caller);
    if (isOpen())
      throw new AppError(
        'wrong_state',
        'Without an access key every program on this machine is the owner, so a signature would prove nothing. Set one first: svc auth access-key',
      );
    if (!readPublicKey(algorithm, publicKey))
      throw new AppError('validation', 'Validation failed', {
        details: [{ path: 'publicKey', message: `Expected a public key of ${algorithm} in base64` }],
      });
    return database.write(async (transaction) => {
      const { db } = transaction;
      await database.engine.lockUser(db, caller.userId);
      const session = await decidingSession(db, sessionId);
      if (session?.owner_id !== caller.userId) throw new AppError('unauthenticated', 'Not signed in');
      const earlier = await db
        .selectFrom('signing_keys')
        .selectAll()
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      if (earlier && earlier.removed_at !== null)
        throw new AppError(
          'forbidden',
          'The signing key of this session was removed. Sign out and in again to make a new one',
        );
      if (earlier?.algorithm === algorithm && earlier.public_key === publicKey)
        return toSigningKey(earlier, caller);
      if (earlier) await db.deleteFrom('signing_keys').where('id', '=', earlier.id).execute();
      const row: SigningKeyRow = {
        id: runtime.newId('skey'),
        session_id: sessionId,
        owner_id: caller.userId,
        device_id: session.device_id,
        algorithm,
        public_key: publicKey,
        name: session.name,
        created_at: runtime.now().toISOString(),
        last_used_at: null,
        removed_at: null,
      };
      await db.insertInto('signing_keys').values(row).execute();
      await this.#record(transaction, caller, 'signing_key.registered', client, {
        ...auditedKey(row),
        ...(earlier && { replaces: earlier.id }),
      });
      this.#notify(transaction, row);
      return toSigningKey(row, caller);
    });
  }

  /** Removes one of the caller's keys. Another session than the caller's can register no new one after that. */
  async remove(caller: Caller, id: string, client: ClientInfo = {}): Promise<void> {
    const { database, runtime } = this.#deps;
    const sessionId = requireSession(caller);
    await database.write(async (transaction) => {
      const { db } = transaction;
      await database.engine.lockUser(db, caller.userId);
      const row = await db
        .selectFrom('signing_keys')
        .selectAll()
        .where('id', '=', id)
        .where('owner_id', '=', caller.userId)
        .where('removed_at', 'is', null)
        .executeTakeFirst();
      if (!row) throw new AppError('not_found', 'Signing key not found');
      if (row.session_id === sessionId) await db.deleteFrom('signing_keys').where('id', '=', id).execute();
      else
        await db
          .updateTable('signing_keys')
          .set({ removed_at: runtime.now().toISOString() })
          .where('id', '=', id)
          .execute();
      await this.#record(transaction, caller, 'signing_key.removed', client, auditedKey(row));
    });
  }

  #notify(transaction: WriteTransaction, row: SigningKeyRow): void {
    if (!this.#deps.isRequired()) return;
    this.#deps.notifications.add(transaction, {
      userId: row.owner_id,
      type: 'signing_key_added',
      title: `A new key can sign your decisions: ${row.name}`,
      message: 'If this was not you, remove it and end its session: svc approvals keys ls',
      data: { keyId: row.id },
    });
  }

  #record(
    transaction: WriteTransaction,
    { userId }: Caller,
    tool: string,
    { address }: ClientInfo,
    args: Record<string, unknown>,
  ): Promise<void> {
    const { audit } = this.#deps;
    return audit.append(transaction, {
      kind: 'security',
      tool,
      userId,
      address,
      arguments: args,
      result: 'ok',
    });
  }
}

/** Only a session has keys: no API token, and no program that is let in without a credential. */
function requireSession({ token, sessionId }: Caller): string {
  if (token || sessionId === undefined)
    throw new AppError('forbidden', 'Only a session of a person has signing keys. Sign in first');
  return sessionId;
}

const auditedKey = (row: SigningKeyRow) => ({
  keyId: row.id,
  algorithm: row.algorithm,
  publicKey: row.public_key,
  sessionId: row.session_id,
  ...(row.device_id !== null && { deviceId: row.device_id }),
});

const toSigningKey = (row: SigningKeyRow, caller: Caller): SigningKey => ({
  id: row.id,
  algorithm: row.algorithm as SigningKey['algorithm'],
  publicKey: row.public_key,
  fingerprint: fingerprintOf(Buffer.from(row.public_key, 'base64')),
  name: row.name,
  userId: row.owner_id,
  sessionId: row.session_id,
  ...(row.device_id !== null && { deviceId: row.device_id }),
  createdAt: row.created_at,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  current: row.session_id === caller.sessionId,
});
