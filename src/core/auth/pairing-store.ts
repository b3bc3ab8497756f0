import type { Kysely } from 'kysely';
import type { PairingRequestRow } from '../storage/rows/devices.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';

type Claim = Pick<PairingRequestRow, 'claim_hash' | 'requester_id' | 'meta' | 'public_key' | 'address'>;
type Decision = Pick<PairingRequestRow, 'status' | 'decided_at' | 'decided_by'> & Partial<PairingRequestRow>;

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

  pending(db: Kysely<Schema>, now: string): Promise<PairingRequestRow[]> {
    return waiting(db, now).selectAll().orderBy('id', 'desc').execute();
  }

  /** How many wait that this user made; null counts those of everybody who is not signed in. */
  async countPending(db: Kysely<Schema>, createdBy: string | null, now: string): Promise<number> {
    const found = await waiting(db, now)
      .where('created_by', createdBy === null ? 'is' : '=', createdBy)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return found.n;
  }

  /** Answers false when another device was faster, or somebody has decided. */
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

  /** The request with the decision; undefined when there was one before. */
  decide({ db }: WriteTransaction, id: string, decision: Decision): Promise<PairingRequestRow | undefined> {
    return db
      .updateTable('pairing_requests')
      .set(decision)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .returningAll()
      .executeTakeFirst();
  }

  /** Answers false when the token was given before, or is not to be given any more. */
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

  /** The device is revoked: whoever still asks is told so. */
  async withdraw({ db }: WriteTransaction, deviceId: string): Promise<void> {
    await db
      .updateTable('pairing_requests')
      .set({ status: 'rejected', reason: 'The device was revoked' })
      .where('device_id', '=', deviceId)
      .execute();
  }

  /** Nobody gets a session any more for what this user approved. */
  async withdrawFrom({ db }: WriteTransaction, userId: string, reason: string): Promise<void> {
    await db
      .updateTable('pairing_requests')
      .set({ status: 'rejected', reason })
      .where('decided_by', '=', userId)
      .where('status', '=', 'approved')
      .where('delivered_at', 'is', null)
      .execute();
  }

  /** Answers how many there were. */
  async deleteExpired({ db }: WriteTransaction, now: string): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('pairing_requests')
      .where('expires_at', '<=', now)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

const waiting = (db: Kysely<Schema>, now: string) =>
  db.selectFrom('pairing_requests').where('status', '=', 'pending').where('expires_at', '>', now);
