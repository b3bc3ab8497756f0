import type { Kysely } from 'kysely';
import type { PairingRequestRow } from '../storage/rows/devices.ts';
import type { Engine, WriteTransaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';

type Claim = Pick<PairingRequestRow, 'claim_hash' | 'requester_id' | 'meta' | 'public_key' | 'address'>;
type Decision = Pick<PairingRequestRow, 'status' | 'decided_at' | 'decided_by'> & Partial<PairingRequestRow>;

/** What decides which pending request gives way to a new one. */
export type PendingPlace = Pick<PairingRequestRow, 'id' | 'address' | 'claim_hash'>;

/** Rows of pairing requests. */
export class PairingStore {
  async insert({ db }: WriteTransaction, row: PairingRequestRow): Promise<void> {
    await db.insertInto('pairing_requests').values(row).execute();
  }

  /** The request whose holder, or the device that claimed it, has the secret with this hash. */
  findBySecret(db: Kysely<Schema>, hash: string): Promise<PairingRequestRow | undefined> {
    return db
      .selectFrom('pairing_requests')
      .selectAll()
      .where((eb) => eb.or([eb('secret_hash', '=', hash), eb('claim_hash', '=', hash)]))
      .executeTakeFirst();
  }

  /** The request with this code, unless it has expired. */
  findByCode(db: Kysely<Schema>, hash: string, now: string): Promise<PairingRequestRow | undefined> {
    return db
      .selectFrom('pairing_requests')
      .selectAll()
      .where('code_hash', '=', hash)
      .where('expires_at', '>', now)
      .executeTakeFirst();
  }

  /** The same in a transaction, with the request kept as it is until the commit. */
  lockByCode(
    engine: Engine,
    db: Kysely<Schema>,
    hash: string,
    now: string,
  ): Promise<PairingRequestRow | undefined> {
    const found = db
      .selectFrom('pairing_requests')
      .selectAll()
      .where('code_hash', '=', hash)
      .where('expires_at', '>', now);
    return engine.lock(found).executeTakeFirst();
  }

  pending(db: Kysely<Schema>, now: string): Promise<PairingRequestRow[]> {
    return pendingRequests(db, now).selectAll().orderBy('id', 'desc').execute();
  }

  /** The pending requests of the user, oldest first; null stands for those made without a session. */
  pendingOf(db: Kysely<Schema>, createdBy: string | null, now: string): Promise<PendingPlace[]> {
    return pendingRequests(db, now)
      .where('created_by', createdBy === null ? 'is' : '=', createdBy)
      .select(['id', 'address', 'claim_hash'])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  async delete({ db }: WriteTransaction, id: string): Promise<void> {
    await db.deleteFrom('pairing_requests').where('id', '=', id).execute();
  }

  /** Returns false when another device claimed the request first or it was decided. */
  async claim({ db }: WriteTransaction, id: string, claim: Claim): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('pairing_requests')
      .set(claim)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('claim_hash', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Returns the decided request; undefined when it was decided before. */
  decide({ db }: WriteTransaction, id: string, decision: Decision): Promise<PairingRequestRow | undefined> {
    return db
      .updateTable('pairing_requests')
      .set(decision)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .returningAll()
      .executeTakeFirst();
  }

  /** Returns false when the token was delivered before or may no longer be delivered. */
  async deliver({ db }: WriteTransaction, id: string, now: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('pairing_requests')
      .set({ delivered_at: now })
      .where('id', '=', id)
      .where('status', '=', 'approved')
      .where('delivered_at', 'is', null)
      .where('expires_at', '>', now)
      .where('decided_by', 'in', db.selectFrom('users').select('id').where('disabled_at', 'is', null))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Rejects the requests of a revoked device, so that polling reports the revocation. */
  async withdraw({ db }: WriteTransaction, deviceId: string): Promise<void> {
    await db
      .updateTable('pairing_requests')
      .set({ status: 'rejected', reason: 'The device was revoked' })
      .where('device_id', '=', deviceId)
      .execute();
  }

  /** Rejects the requests that this user approved and whose token was not delivered. */
  async withdrawFrom({ db }: WriteTransaction, userId: string, reason: string): Promise<void> {
    await db
      .updateTable('pairing_requests')
      .set({ status: 'rejected', reason })
      .where('decided_by', '=', userId)
      .where('status', '=', 'approved')
      .where('delivered_at', 'is', null)
      .execute();
  }

  /** Returns the number of deleted requests. */
  async deleteExpired({ db }: WriteTransaction, now: string): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('pairing_requests')
      .where('expires_at', '<=', now)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

const pendingRequests = (db: Kysely<Schema>, now: string) =>
  db.selectFrom('pairing_requests').where('status', '=', 'pending').where('expires_at', '>', now);
