import type { PairingRequest } from '../../contract/pairing.ts';
import type { Role } from '../../contract/users.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, isAdmin } from '../auth/caller.ts';
import type { ClientInfo } from '../auth/session-service.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import { addressKey, type Limit, type RateLimits } from '../limits/rate-limits.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { DeviceRow, PairingRequestRow } from '../storage/rows/devices.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { hashCode } from './pairing-code.ts';
import { nameOf, toPairingRequest, versionOf } from './pairing-request.ts';
import type { PairingStore } from '../auth/pairing-store.ts';

const wrongCodes: Limit = {
  max: 5,
  windowMs: 10 * 60_000,
  message: 'Too many wrong pairing codes. Try again in ten minutes.',
};
/** A device that is approved at the last moment has this long to fetch its token. */
const PICK_UP_MS = 2 * 60_000;

export interface PairingDecisionsDeps {
  database: Database;
  store: PairingStore;
  audit: AuditLog;
  bus: EventBus;
  limits: RateLimits;
  keyRing: KeyRing;
  runtime: Runtime;
}

export interface Approval {
  code: string;
  role?: Role | undefined;
  name?: string | undefined;
  /** The label that the approver gave; the session identifies the user. */
  approvedBy?: string | undefined;
  /** Whether the device may only look, decide and cancel, also where it asked for more. */
  limited?: boolean | undefined;
  /** The version of the request that the person saw; undefined when it was not inspected. */
  version?: string | undefined;
}

/** Approves and rejects devices by the code that they show. */
export class PairingDecisions {
  readonly #deps: PairingDecisionsDeps;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(deps: PairingDecisionsDeps) {
    this.#deps = deps;
  }

  inspect(caller: Caller, code: string, client: ClientInfo): Promise<PairingRequest> {
    return this.#try(caller, client, async () => {
      const { database, runtime } = this.#deps;
      const now = runtime.now().toISOString();
      const find = (hash: string) => this.#deps.store.findByCode(database.read, hash, now);
      return toPairingRequest(await this.#find(caller, code, find), now);
    });
  }

  /** Adds the device to those of the caller, with no more rights than the caller. */
  async approve(caller: Caller, approval: Approval, client: ClientInfo): Promise<PairingRequest> {
    const { code, role, name, approvedBy, limited, version } = approval;
    if (role === 'admin' && !isAdmin(caller))
      throw new AppError('forbidden', 'A device cannot have more rights than you');
    return this.#decide(caller, code, client, async (transaction, row, now) => {
      if (version !== undefined && versionOf(row) !== version)
        throw new AppError('wrong_state', 'Another device has claimed this code. Check the request again.');
      await refuseSelfApproval(transaction, caller, row);
      const device: DeviceRow = {
        id: this.#deps.runtime.newId('dev'),
        owner_id: caller.userId,
        name: name ?? nameOf(row),
        role: role ?? caller.role,
        public_key: row.public_key,
        approved_by: caller.deviceId ?? null,
        created_at: now.toISOString(),
        limited: limited || row.limited === 1 ? 1 : 0,
      };
      await transaction.db.insertInto('devices').values(device).execute();
      const inTime = new Date(now.getTime() + PICK_UP_MS).toISOString();
      return {
        status: 'approved',
        device_id: device.id,
        role: device.role,
        limited: device.limited,
        approver_label: approvedBy || null,
        expires_at: row.expires_at > inTime ? row.expires_at : inTime,
      };
    });
  }

  reject(
    caller: Caller,
    { code, reason }: { code: string; reason?: string | undefined },
    client: ClientInfo,
  ): Promise<PairingRequest> {
    return this.#decide(caller, code, client, async () => ({ status: 'rejected', reason: reason ?? null }));
  }

  #decide(
    caller: Caller,
    code: string,
    client: ClientInfo,
    decide: (
      transaction: WriteTransaction,
      row: PairingRequestRow,
      now: Date,
    ) => Promise<{ status: 'approved' | 'rejected' } & Partial<PairingRequestRow>>,
  ): Promise<PairingRequest> {
    const { database, store, audit, bus, runtime } = this.#deps;
    return this.#try(caller, client, () =>
      database.write(async (transaction) => {
        const now = runtime.now();
        const at = now.toISOString();
        // The device of the caller may be revoked at this moment, and another device may claim the code.
        await database.engine.lockUser(transaction.db, caller.userId);
        await requireDevice(transaction, caller);
        const row = await this.#find(caller, code, (hash) =>
          store.lockByCode(database.engine, transaction.db, hash, at),
        );
        if (row.status !== 'pending')
          throw new AppError('wrong_state', `This request is already ${row.status}`);
        const decision = await decide(transaction, row, now);
        const decided = await store.decide(transaction, row.id, {
          ...decision,
          decided_at: at,
          decided_by: caller.userId,
        });
        if (!decided) throw new AppError('wrong_state', 'This request is already decided');
        await audit.append(transaction, {
          kind: 'security',
          tool: `pairing.${decision.status}`,
          userId: caller.userId,
          address: client.address,
          arguments: {
            requestId: row.id,
            deviceId: decided.device_id,
            role: decided.role,
            ...(decided.limited === 1 && { limited: true }),
            ...(decided.approver_label !== null && { approverLabel: decided.approver_label }),
          },
          result: 'ok',
        });
        transaction.afterCommit(() => bus.emit('devices_changed', { userId: caller.userId }));
        return toPairingRequest(decided, at);
      }),
    );
  }

  /** Finds the request with this code; those of other users' QR codes do not exist for the caller. */
  async #find(
    caller: Caller,
    code: string,
    find: (hash: string) => Promise<PairingRequestRow | undefined>,
  ): Promise<PairingRequestRow> {
    const hash = hashCode(this.#deps.keyRing, code);
    const row = hash === undefined ? undefined : await find(hash);
    const isOpen = row && (row.created_by === null || row.created_by === caller.userId || isAdmin(caller));
    if (!isOpen) throw new AppError('not_found', 'No pending request has this code');
    return row;
  }

  /** Runs attempts one at a time, so that concurrent requests cannot exceed the limit of wrong codes. */
  #try<T>(caller: Caller, client: ClientInfo, work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => this.#tryNow(caller, client, work));
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #tryNow<T>(caller: Caller, client: ClientInfo, work: () => Promise<T>): Promise<T> {
    if (caller.token) throw new AppError('forbidden', 'An API token cannot decide on devices');
    const { database, audit, limits } = this.#deps;
    const keys = [`user ${caller.userId}`];
    if (client.address !== undefined) keys.push(`address ${addressKey(client.address)}`);
    for (const key of keys) await limits.check('pairing codes', key, wrongCodes);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      for (const key of keys) await limits.take('pairing codes', key, wrongCodes);
      await database.write((transaction) =>
        audit.append(transaction, {
          kind: 'security',
          tool: 'pairing.code',
          userId: caller.userId,
          address: client.address,
          result: 'refused',
        }),
      );
      throw error;
    }
  }
}

/** A device that was revoked since it sent the request decides nothing. */
async function requireDevice({ db }: WriteTransaction, { deviceId }: Caller): Promise<void> {
  if (deviceId === undefined) return;
  const own = await db.selectFrom('devices').select('id').where('id', '=', deviceId).executeTakeFirst();
  if (!own) throw new AppError('unauthenticated', 'Not signed in');
}

async function refuseSelfApproval(
  { db }: WriteTransaction,
  caller: Caller,
  row: PairingRequestRow,
): Promise<void> {
  if (row.public_key === null || caller.deviceId === undefined) return;
  const own = await db
    .selectFrom('devices')
    .select('id')
    .where('id', '=', caller.deviceId)
    .where('public_key', '=', row.public_key)
    .executeTakeFirst();
  if (own) throw new AppError('forbidden', 'A device cannot approve itself');
}
